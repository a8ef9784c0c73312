import type { AdapterError, AdapterHost, DeviceDescription, NativeId } from "@ledge/port";
import { HomeCamera } from "./camera.ts";
import type { DeviceRow } from "./home.ts";
import { home } from "./home.ts";
import { Memory } from "./memory.ts";
import { HomeGroups } from "./groups.ts";
import { HomePairing } from "./pairing.ts";
import type { Random } from "./random.ts";
import { seededBy } from "./random.ts";
import type { SimSettings } from "./settings.ts";
import { strays } from "./strays.ts";
import { HomeUpkeep } from "./upkeep.ts";
import { SimulatedWorld } from "./world.ts";

/** A home with all that belongs to it. */
export interface Running {
  readonly host: AdapterHost;
  readonly settings: SimSettings;
  readonly world: SimulatedWorld;
  readonly memory: Memory;
  readonly home: HomePairing;
  readonly groups: HomeGroups;
  readonly upkeep: HomeUpkeep;
  readonly camera: HomeCamera;
  /** A device with its settings, its firmware and what only cameras have. */
  readonly described: (device: DeviceDescription) => DeviceDescription;
  readonly random: Random;
  /** What the Zigbee radio counts: frames that were taken, or cast, and frames that were not. */
  readonly frames: { sent: number; unanswered: number };
  /** Devices whose next command gets lost. */
  readonly dropping: Set<NativeId>;
  readonly timers: Set<() => void>;
  readonly sends: Set<(error: AdapterError) => void>;
}

/** The home as it was when it was last stopped; nothing of it moves yet. */
export function furnished(host: AdapterHost, settings: SimSettings): Running {
  const devices = [...repeated(settings.devices), ...strays.map(({ row }) => row)];
  const timers = new Set<() => void>();
  const world = new SimulatedWorld({
    seed: settings.seed,
    now: host.clock.now(),
    devices,
    report: (report) => {
      if (members.has(report.native)) host.report(report);
    },
  });
  const members = new HomePairing({
    host,
    after: (ms, callback) => afterIn(timers, host, ms, callback),
    descriptions: world.descriptions(),
    joined: (device) => {
      host.announce(described(device));
      world.refresh(device.native);
    },
  });
  const changed = (native: NativeId): void => {
    const device = world.descriptions().find((each) => each.native === native);
    if (device && members.has(native)) host.announce(described(device));
  };
  const upkeep = new HomeUpkeep({
    host,
    after: (ms, callback) => void afterIn(timers, host, ms, callback),
    isReachable: (native) => world.isReachable(native),
    changed,
  });
  const camera = new HomeCamera(host, changed);
  const described = (device: DeviceDescription): DeviceDescription =>
    camera.described(upkeep.described(device));
  const memory = new Memory(world, host, settings.remember);
  memory.recall();
  const random = seededBy(settings.seed, "radio");
  const underWay = { dropping: new Set<NativeId>(), timers, sends: new Set<(error: AdapterError) => void>() };
  const groups = new HomeGroups(world);
  const frames = { sent: 0, unanswered: 0 };
  const parts = { world, memory, home: members, groups, upkeep, camera };
  return { host, settings, ...parts, described, random, frames, ...underWay };
}

/** Calls back after so long, unless whoever holds the timers has cancelled them before. */
export function afterIn(
  timers: Set<() => void>,
  { clock }: Pick<AdapterHost, "clock">,
  ms: number,
  callback: () => void,
): () => void {
  const cancel = clock.after(ms, () => {
    timers.delete(cancel);
    callback();
  });
  timers.add(cancel);
  return () => {
    timers.delete(cancel);
    cancel();
  };
}

/** The home's first `count` devices; beyond them the same again, as in the flats above. */
function repeated(count: number): DeviceRow[] {
  return Array.from({ length: count }, (_, index) => {
    const row = home[index % home.length];
    if (!row) throw new Error("the home is empty");
    const floor = Math.floor(index / home.length);
    if (floor === 0) return row;
    return { ...row, native: `${row.native}/${floor + 1}`, name: `${row.name} ${floor + 1}` };
  });
}
