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

/** A running home with everything that belongs to it. */
export interface Running {
  readonly host: AdapterHost;
  readonly settings: SimSettings;
  readonly world: SimulatedWorld;
  readonly memory: Memory;
  readonly home: HomePairing;
  readonly groups: HomeGroups;
  readonly upkeep: HomeUpkeep;
  readonly camera: HomeCamera;
  /** Adds to a device its settings, its firmware and the fields of a camera. */
  readonly described: (device: DeviceDescription) => DeviceDescription;
  readonly random: Random;
  /** Frame counters of the Zigbee radio: answered frames and casts, and unanswered frames. */
  readonly frames: { sent: number; unanswered: number };
  /** Devices whose next command is lost. */
  readonly dropping: Set<NativeId>;
  readonly timers: Set<() => void>;
  readonly sends: Set<(error: AdapterError) => void>;
}

/** Makes the home as it was when it last stopped; nothing moves yet. */
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

/** Calls back after `ms`, unless the owner of `timers` cancels before. */
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

/** Returns the home's first `count` devices, or repeats the home for each further flat of the building. */
function repeated(count: number): DeviceRow[] {
  return Array.from({ length: count }, (_, index) => {
    const row = home[index % home.length];
    if (!row) throw new Error("the home is empty");
    const floor = Math.floor(index / home.length);
    if (floor === 0) return row;
    return { ...row, native: `${row.native}/${floor + 1}`, name: `${row.name} ${floor + 1}` };
  });
}
