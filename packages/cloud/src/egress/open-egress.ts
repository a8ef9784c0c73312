import type { OutboxMessage } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import type { ChangeEvent } from "@ledge/link";
import { Outgoing } from "@ledge/link/outgoing";
import { limits, type LoggedEvent, roles } from "@ledge/model";
import type { Cloud } from "../cloud.ts";
import { registerRoleOf } from "../graph/register-target.ts";
import { gives } from "../graph/rights.ts";
import type { CloudMail } from "../mail/cloud-mail.ts";
import type { EgressTarget } from "../model/egress-state.ts";
import type { Account } from "../model/account.ts";
import { languageOf } from "../model/languages.ts";
import { refusalOf, timeOf } from "../model/submitting.ts";
import { Elsewhere } from "./elsewhere.ts";
import { BoundDevices } from "./bound-devices.ts";
import { Delivery } from "./delivery.ts";
import { EgressFigures } from "./figures.ts";
import type { LaneHost } from "./lane.ts";
import { LogFeed, type LogFeedOptions } from "./log-feed.ts";
import { askNameServers } from "./name-servers.ts";
import type { Receivers } from "./receivers.ts";
import { httpSender } from "./sender.ts";
import { Sweep } from "./sweep.ts";
import type { DeviceBody } from "./wire-event.ts";

export interface OpenEgressOptions {
  readonly cloud: Pick<Cloud, "kernel" | "log" | "registers" | "secrets" | "sharing" | "tenancy"> &
    Partial<Pick<Cloud, "bus" | "cluster" | "onLeading">>;
  readonly mail: Pick<CloudMail, "egressStopped">;
  readonly receivers: Receivers;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly logger: Logger;
}

/** What sends, in one process of a cloud. */
interface Sending {
  readonly sweep: Sweep;
  readonly delivery: Delivery;
  readonly feed: LogFeed;
}

/** The egress of all sites. */
export interface Egress {
  /** Returns what a change of a device puts into the outboxes of sites. */
  messagesFor(deviceRegisterId: string, change: ChangeEvent): OutboxMessage[];
  /** Tells that messages are in the outboxes. */
  stored(messages: readonly OutboxMessage[]): void;
  readonly figures: EgressFigures;
  /** How many targets are served, and how many of them fail. */
  readonly counts: Delivery["counts"];
  stop(): Promise<void>;
}

/**
 * Opens the egress of a cloud: what waits in the outboxes is sent on. Of several processes the one that writes the log
 * sends; it goes on where a process before it has stopped.
 */
export function openEgress({ cloud, mail, receivers, clock, logger }: OpenEgressOptions): Egress {
  const { kernel, registers: store, secrets } = cloud;
  const now = (): number => timeOf(kernel);
  const figures = new EgressFigures();
  // Only the system knows names of the local network.
  const naming = receivers.areLocal ? {} : { resolve: askNameServers() };
  const outgoing = new Outgoing(receivers, { idleMs: limits.egressIdleMs, ...naming });
  const note: LaneHost["note"] = async (id, targetId, command) => {
    const refused = await refusalOf(kernel, "system", { ...command, id, targetId });
    // Somebody has deleted the target meanwhile.
    if (refused !== undefined && refused.rejected !== "not-found") throw new Error(refused.message);
  };
  const startDelivery = (): Delivery =>
    new Delivery({
      kernel,
      store,
      sender: httpSender(outgoing, now),
      opened: (event) => secrets.open([event])[0] as LoggedEvent,
      mayLeave: (body) => mayLeave(body, cloud),
      note,
      figures,
      now,
      clock,
      random: Math.random,
      logger,
    });
  const tellOwners = async (siteId: string, target: EgressTarget): Promise<boolean> => {
    for (const { email, language } of ownersOf(siteId, cloud))
      if ((await mail.egressStopped(email, { siteId, target }, languageOf(language))) !== undefined)
        return false;
    return true;
  };
  let sending: Sending | undefined;
  let isStopped = false;
  const elsewhere = cloud.cluster && cloud.bus && new Elsewhere(cloud.bus, clock);
  const stored = (messages: readonly OutboxMessage[]): void => {
    if (sending === undefined) return elsewhere?.tell(messages);
    sending.delivery.poke(messages);
    sending.sweep.grown(messages);
  };
  const begin = (): void => {
    if (isStopped) return;
    const sweep = new Sweep({ kernel, store, note, tellOwners, figures, now, clock, logger });
    const delivery = startDelivery();
    const feed = feedOf(cloud, { sweep, stored, now, clock, logger });
    sending = { sweep, delivery, feed };
    elsewhere?.listen(stored, () => delivery.pokeAll());
  };
  if (cloud.onLeading === undefined) begin();
  else cloud.onLeading(begin);
  const bound = new BoundDevices(kernel);
  return {
    messagesFor: (deviceRegisterId, change) => bound.messagesFor(deviceRegisterId, change, now()),
    stored,
    figures,
    get counts() {
      return sending?.delivery.counts ?? { served: 0, failing: 0 };
    },
    async stop() {
      isStopped = true;
      bound.stop();
      elsewhere?.stop();
      const { feed, delivery, sweep } = sending ?? {};
      await Promise.all([feed?.stop(), delivery?.stop(), sweep?.stop()]);
      outgoing.close();
    },
  };
}

/** Feeds the events of sites from the cloud's log into their outboxes. */
function feedOf(
  { kernel, log, registers: store, secrets }: OpenEgressOptions["cloud"],
  {
    sweep,
    stored: onStored,
    ...rest
  }: Pick<LogFeedOptions, "now" | "clock" | "logger"> & {
    readonly sweep: Sweep;
    readonly stored: LogFeedOptions["onStored"];
  },
): LogFeed {
  return new LogFeed({
    ...rest,
    log,
    store,
    sealed: (event) => secrets.seal([event])[0] as LoggedEvent,
    hasTargets: (siteId) => kernel.get("egress", siteId) !== undefined,
    onStored,
    onClosed: (siteId) => sweep.closed(siteId),
  });
}

/** Returns whether whoever has bound a device can read it now. */
async function mayLeave(
  { by, deviceRegisterId, change }: DeviceBody,
  cloud: Pick<Cloud, "kernel" | "sharing" | "tenancy" | "registers">,
): Promise<boolean> {
  const role = registerRoleOf(by, deviceRegisterId, cloud);
  if (!gives(role, "R")) return false;
  if (role !== roles.REMOTE_GUEST) return true;
  const row = await cloud.registers.get({ register: deviceRegisterId, kind: "device", id: change.device });
  return row?.kind === "device" && row.object?.["visible"] !== false;
}

/** Returns the addresses of those who own the tenant of a site. */
function ownersOf(siteId: string, { kernel, tenancy }: Pick<Cloud, "kernel" | "tenancy">): Account[] {
  const place = kernel.get("site", siteId)?.place;
  const tenant = place && tenancy.subscription(place.subscription)?.tenant;
  if (tenant === undefined) return [];
  return tenancy.ownersOf(tenant).flatMap((account) => kernel.get("account", account) ?? []);
}
