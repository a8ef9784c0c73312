import { setImmediate as turn } from "node:timers/promises";
import { until } from "@ledge/testkit";
import { Served } from "../../http/test-served.ts";
import { openSlowReaders } from "./slow-reader.ts";

export interface SlowHourOptions {
  /** How much time of the cloud passes. */
  readonly seconds: number;
  readonly devices: number;
  readonly changesPerSecond: number;
  /** Called after each minute of the cloud's time. */
  readonly minute?: () => void;
}

/** What one slow reader got. */
export interface SlowReading {
  readonly transport: string;
  /** How many pushes it read, of how many changes. */
  readonly pushes: number;
  /** Whether it has the last state of each device in the end. */
  readonly isUpToDate: boolean;
}

/** How often (s) a slow reader reads a little: more often than long polling has to. */
const readEveryS = 20;
const pingEveryS = 10;
/** Bytes that make pushes so large that the system cannot keep them. */
const padding = "x".repeat(8000);

/**
 * Lets a home change many times a second while three clients of one user read a little now and then, one over each
 * transport. In the end they read on.
 */
export async function slowHour(options: SlowHourOptions): Promise<readonly SlowReading[]> {
  const { seconds, devices, changesPerSecond, minute } = options;
  const { served, hub, owner } = await Served.withHub();
  try {
    const { registers, test } = served;
    const change = (count: number): Promise<void> => {
      const state = { type: "DEVICE_STATE", reachable: true, count, padding };
      return registers.set(hub.id, `device ${count % devices}`, count % 2 === 0, { state });
    };
    for (let count = 0; count < devices; count++) await change(count);
    const readers = await openSlowReaders(served, owner);
    for (const reader of readers) await reader.begin(hub.id);
    let count = devices;
    for (let second = 1; second <= seconds; second++) {
      for (let left = changesPerSecond; left > 0; left--) await change(count++);
      await test.clock.pass(1000);
      await turn();
      for (const reader of readers) {
        if (second % pingEveryS === 0) await reader.ping();
        if (second % readEveryS === 0) await reader.readSome();
      }
      if (second % 60 === 0) minute?.();
    }
    const isLast = (states: ReadonlyMap<string, unknown>): boolean =>
      Array.from({ length: devices }, (_, back) => count - 1 - back).every(
        (last) => (states.get(`device ${last % devices}`) as { count?: number } | undefined)?.count === last,
      );
    const found: SlowReading[] = [];
    for (const reader of readers) {
      let reads = 0;
      // Far more reads than what waits of each device once can take.
      while (!isLast(reader.states) && reads++ < readsMax) {
        await reader.readSome();
        await test.clock.pass(20);
      }
      found.push({ transport: reader.name, pushes: reader.count, isUpToDate: isLast(reader.states) });
      await reader.end();
    }
    await until("all have left", () => served.platform.watching.size.users === 0);
    return found;
  } finally {
    await served.stop();
  }
}

const readsMax = 20_000;
