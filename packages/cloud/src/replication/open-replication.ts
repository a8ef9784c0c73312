import type { Row } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import type { Cloud } from "../cloud.ts";
import { logSource } from "../egress/log-feed.ts";
import type { Egress } from "../egress/open-egress.ts";
import { plainName } from "../mail/shown-name.ts";
import { onHubLeft } from "../hubs/leaving.ts";
import { ownerOf } from "../model/owning.ts";
import { timeOf } from "../model/submitting.ts";
import { described } from "../registers/described.ts";
import { isOwnSource } from "../registers/own-source.ts";
import type { Tunnels } from "../relay/tunnels.ts";
import { Replication } from "./replication.ts";
import { gatewayRow } from "./rows.ts";

export interface OpenReplicationOptions {
  readonly cloud: Pick<Cloud, "kernel" | "registers" | "bus" | "tenancy" | "onAuthorizations">;
  readonly egress: Pick<Egress, "messagesFor" | "stored">;
  readonly tunnels: Pick<Tunnels, "of" | "onChanged">;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly logger: Logger;
}

/** Opens the replication of a cloud. A hub that is released or removed loses what the cloud had of it. */
export function openReplication({
  cloud,
  egress,
  tunnels,
  clock,
  logger,
}: OpenReplicationOptions): Replication {
  const { kernel, registers: store, bus, tenancy } = cloud;
  const { gateways } = tenancy;
  const now = (): number => timeOf(kernel);
  const gatewaysOf = (hubId: string): readonly Row[] => {
    const registration = kernel.get("registration", hubId);
    const owner = ownerOf(kernel.get("authorizations", hubId));
    if (registration === undefined || owner === undefined) return [];
    const { version, timestamp: at } = registration;
    const own = plainName(registration.name ?? "Ledge");
    const others = gateways.registersOf(hubId).map((register) => {
      const name = kernel.get("deviceRegister", register)?.gateways[hubId]?.name || own;
      return gatewayRow(hubId, register, { name, version, at });
    });
    return [gatewayRow(hubId, hubId, { name: own, version, at }), ...others];
  };
  const replication = new Replication({
    tunnels,
    store,
    bus,
    gatewaysOf,
    registersOf: (hubId) => gateways.registersOf(hubId),
    described: (row) => described(row, kernel),
    egress,
    now,
    clock,
    random: Math.random,
    logger,
  });
  cloud.onAuthorizations((hubId) => replication.begin(hubId));
  onHubLeft(kernel, (hubId) => void replication.forget(hubId));
  forgetOrphans(cloud, gatewaysOf, replication).catch((error: unknown) =>
    logger.error({ error }, "the registers could not be searched for those of hubs that have left"),
  );
  return replication;
}

/** Deletes the registers of hubs that were released while the cloud was down. */
async function forgetOrphans(
  { registers }: Pick<Cloud, "registers">,
  gatewaysOf: (hubId: string) => readonly Row[],
  replication: Replication,
): Promise<void> {
  for (const source of await registers.sources())
    if (source !== logSource && !isOwnSource(source) && gatewaysOf(source).length === 0)
      await replication.forget(source);
}
