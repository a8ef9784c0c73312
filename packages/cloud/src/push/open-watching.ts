import type { Bus, RegisterStore } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import type { Cloud } from "../cloud.ts";
import { timeOf } from "../model/submitting.ts";
import type { Access } from "../model/oauth-scopes.ts";
import type { Tunnels } from "../relay/tunnels.ts";
import { mayRead } from "../graph/targets.ts";
import { registerRoleOf } from "../graph/register-target.ts";
import { siteRights } from "../graph/tenancy-targets.ts";
import { HubSource } from "./hub-source.ts";
import { OperationSource } from "./operation-source.ts";
import { Presences } from "./presences.ts";
import { RegisterSource } from "./register-source.ts";
import { SiteSource } from "./site-source.ts";
import type { Thing } from "./source.ts";
import { Watching } from "./watching.ts";

export interface OpenWatchingOptions {
  readonly cloud: Pick<Cloud, "kernel" | "sharing" | "tenancy" | "onAuthorizations" | "onHubRemoved">;
  readonly tunnels: Pick<Tunnels, "reach" | "onReach">;
  readonly registers: Pick<RegisterStore, "get" | "scan">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Opens the pushes of a cloud. A right that is lost ends what depends on it at once. */
export function openWatching({
  cloud,
  tunnels,
  registers,
  bus,
  clock,
  logger,
}: OpenWatchingOptions): Watching {
  const { kernel, sharing } = cloud;
  const now = (): number => timeOf(kernel);
  const presences = new Presences(tunnels, now);
  const roleOf = (user: string, hubId: string): number | undefined => sharing.roleOf(user, hubId);
  const versionOf = (hubId: string): string => kernel.get("registration", hubId)?.version ?? "";
  const shared = { registers, bus, roleOf, now };
  const ends: (() => void)[] = [];
  const watching = new Watching({
    clock,
    sources: {
      register: new RegisterSource({ ...shared, roleOf: (user, id) => registerRoleOf(user, id, cloud) }),
      hub: new HubSource({ ...shared, presences, versionOf }),
      site: new SiteSource({
        kernel,
        mayRead: (user, one) => siteRights(one, { account: user }, cloud).includes("R"),
      }),
      operation: new OperationSource({
        kernel,
        mayRead: (user, one) => mayRead(one, { account: user }, cloud),
      }),
    },
    sees: (access, thing) => sees(access, thing, cloud),
    onError: (error) => logger.error({ error }, "a change could not be pushed"),
    onStop: () => {
      for (const end of ends) end();
    },
  });
  const recheck = (hubId: string, reason: string): void => {
    watching.recheck("register", hubId, reason);
    watching.recheck("hub", hubId, reason);
  };
  ends.push(
    cloud.onAuthorizations((hubId) => recheck(hubId, "your access has ended")),
    cloud.onHubRemoved((hubId) => {
      presences.forget(hubId);
      recheck(hubId, "the hub has left the platform");
    }),
    kernel.subscribe({
      published({ events }) {
        for (const { type, id } of events)
          if (type === "SiteDeleted") watching.recheck("site", id, "the site is deleted");
          else if (type === "DeviceRegisterDeleted")
            watching.recheck("register", id, "the register is deleted");
        if (events.some(({ type }) => type === "RoleRemoved"))
          for (const kind of ["site", "register"] as const)
            watching.recheckAll(kind, "your access has ended");
      },
    }),
  );
  return watching;
}

/** Returns whether an access token reaches a thing: its scopes do, and what a tenant has is in that of the token. */
function sees(
  { tenant, scopes }: Access,
  { kind, id }: Thing,
  { kernel, tenancy }: Pick<Cloud, "kernel" | "tenancy">,
): boolean {
  const ofDevices = scopes.has("devices.read");
  const ofPlatform = scopes.has("platform.read");
  const isIn = (item: { readonly place: { readonly subscription: string } } | undefined): boolean =>
    item === undefined || tenancy.subscription(item.place.subscription)?.tenant === tenant;
  switch (kind) {
    case "register":
      return ofDevices && isIn(kernel.get("deviceRegister", id));
    case "hub":
      return ofDevices;
    case "site":
      return ofPlatform && isIn(kernel.get("site", id));
    case "operation":
      return ofDevices || ofPlatform;
  }
}
