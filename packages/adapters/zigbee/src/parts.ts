import type { AdapterHost } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { Addresses } from "./addresses.ts";
import type { AvailabilityTiming } from "./availability.ts";
import { Availability } from "./availability.ts";
import { Chores } from "./chores.ts";
import { Departures } from "./departures.ts";
import { Descriptions } from "./descriptions.ts";
import type { ExternalDescription } from "./external/description.ts";
import { Hearing } from "./hearing.ts";
import type { Unit } from "./map/index.ts";
import type { Network } from "./network/network.ts";
import type { Node } from "./nodes.ts";
import { Nodes } from "./nodes.ts";
import { Orders } from "./orders.ts";
import { Polls } from "./polls.ts";
import { Radio } from "./radio.ts";
import { Refusals } from "./refusals.ts";
import { Reports } from "./reports.ts";
import { Sending } from "./sending.ts";
import { SettingReads } from "./setting-reads.ts";
import { SetUp } from "./set-up.ts";
import { Images } from "./upgrade/images.ts";
import type { StickWindow } from "./window.ts";
import type { Pace } from "./upgrade/installations.ts";
import { Upgrades } from "./upgrade/upgrades.ts";

/** Options of `Devices`. */
export interface DevicesOptions {
  readonly network: () => Network;
  readonly timing: AvailabilityTiming;
  readonly window: StickWindow;
  /** The folder of firmware images. */
  readonly images: string;
  readonly pace: Pace;
  /** Definitions of models that a user has. */
  readonly definitions: Promise<readonly ExternalDescription[]>;
  /** How long routers remember a broadcast, ms. */
  readonly broadcastMs: number;
}

/** The components that handle devices, one for each concern. */
export interface Parts {
  readonly radio: Radio;
  readonly hearing: Hearing;
  readonly refusals: Refusals;
  readonly addresses: Addresses;
  readonly nodes: Nodes;
  readonly reports: Reports;
  readonly chores: Chores;
  readonly sending: Sending;
  readonly upgrades: Upgrades;
  readonly descriptions: Descriptions;
  readonly setUp: SetUp;
  readonly settingReads: SettingReads;
  readonly polls: Polls;
  readonly orders: Orders;
  readonly availability: Availability;
  readonly departures: Departures;
}

/** Makes and connects the components. */
export function partsOf(
  host: AdapterHost,
  { network, timing, images, pace, definitions, window }: DevicesOptions,
): Parts {
  const { clock, log } = host;
  const radio = new Radio();
  const hearing = new Hearing();
  const refusals = new Refusals();
  const addresses = new Addresses({ clock, log, radio, settled: (ieee) => orders.readAnew(nodes.get(ieee)) });
  const chores = new Chores(log);
  const reports = new Reports(host);
  const said = (node: Node, properties: Readonly<Record<string, unknown>>): void =>
    reports.says(node, properties);
  const changed = (node: Node): void => descriptions.announceNews(node);
  const nodes: Nodes = new Nodes({ host, said, changed, definitions });
  const sending = new Sending(clock, radio, hearing, refusals, addresses, window, said);
  const availability = new Availability({
    clock,
    timing,
    chores,
    ping: (ieee, unanswered) => ping(radio, ieee, unanswered),
    report: (ieee, reachable) => {
      const node = nodes.get(ieee);
      if (node) for (const native of node.kept.keys()) reports.report(node, native, { reachable });
    },
  });
  const upgrades = new Upgrades({
    host,
    radio,
    hearing,
    images: new Images(images, log),
    isReachable: (ieee) => availability.isReachable(ieee),
    changed,
    pace,
  });
  const descriptions: Descriptions = new Descriptions(host, nodes, (node, unit) =>
    upgrades.reportOf(node, unit),
  );
  const departures = new Departures({
    host,
    radio,
    membersChanged: () => network().membersChanged(),
  });
  const common = { radio, hearing, refusals, addresses, nodes, reports, chores, sending };
  const grown = (node: Node, former: readonly Unit[]): Promise<void> => setUp.grown(node, former);
  const settingReads = new SettingReads({ ...common, clock, log, descriptions, grown });
  const polls = new Polls({ clock, chores, sending });
  const done = (node: Node): void => {
    settingReads.begin(node);
    polls.begin(node);
  };
  const setUp: SetUp = new SetUp({ ...common, clock, log, upgrades, done });
  const orders: Orders = new Orders({ clock, log, radio, chores, sending, reports, nodes });
  return { ...common, upgrades, descriptions, setUp, settingReads, polls, orders, availability, departures };
}

/**
 * Sends a request that any device answers. For a device that did not answer before, the library searches a
 * new route.
 */
async function ping(radio: Radio, ieee: string, unanswered: number): Promise<void> {
  const device = radio.device(ieee);
  if (device === undefined) throw new AdapterError("unreachable", "the device is not in the network");
  await radio.use(() => device.ping(unanswered === 0));
}
