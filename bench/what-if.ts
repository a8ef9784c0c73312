// What-if: a rule tried on a month of a home, from a log on disk, as the thread of the past has it done.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LogReader } from "@ledge/hub/past/log-reader";
import { whatif } from "@ledge/hub/past/what-if";
import { openLmdbLog } from "@ledge/log";
import type { LoggedEvent, RuleConfig } from "@ledge/model";
import { contentOf, openTestKernel, SimulatedClock } from "@ledge/testkit";
import type { Figure } from "./figure.ts";

const devices = 200;
const days = 30;
const everyMs = 300_000;
const dayMs = 86_400_000;
const reports = (days * dayMs * devices) / everyMs;
const rounds = 4;
/** Appends that are under way at once. */
const burst = 4000;

/** One rule over a month of reports, each of which is a commit of its own. */
export async function whatIfFigures(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  try {
    const { from, to, rule } = await month(folder);
    const log = await openLmdbLog({ folder, readOnly: true });
    const reader = new LogReader({
      log,
      hubId: "hub",
      version: "1.14.15.1",
      monotonic: () => performance.now(),
    });
    const asker = { viewer: { role: 64, user: null, since: 0 }, language: "en" } as const;
    const args = { rules: [rule], replaces: [], customRules: [], from, to, on: "always" } as const;
    let found = { commandCount: 0 };
    const [took = NaN, plain = NaN] = leastInTurns([
      () => {
        reader.begin(Infinity);
        found = whatif(reader, args, asker) as typeof found;
      },
      () => {
        for (const _ of log.read(from, to));
      },
    ]);
    await log.close();
    const how = `${reports} reports of ${devices} devices in ${days} days, ${found.commandCount} commands; best of ${rounds}`;
    const named = "what-if of a month";
    const ratio = { name: `${named}, parsing all of it per what-if`, value: plain / took, unit: "x" };
    const turns = `interleaved minima of ${rounds}; every commit read and parsed, and no rule tried`;
    return [
      { name: named, value: took / 1000, unit: "s", limit: null, gated: false, how },
      { ...ratio, limit: ">= 1.5", gated: true, how: turns },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The least time (ms) of each task over rounds in which they take turns. */
function leastInTurns(tasks: readonly (() => void)[]): readonly number[] {
  const least = tasks.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [place, task] of tasks.entries()) {
      const began = performance.now();
      task();
      least[place] = Math.min(least[place] ?? Infinity, performance.now() - began);
    }
  }
  return least;
}

async function month(folder: string): Promise<{ from: number; to: number; rule: RuleConfig }> {
  const home = openTestKernel({ clock: new SimulatedClock(Date.parse("2026-01-01T00:00:00Z")) });
  await home.accept({ type: "CREATE_HUB", name: "Home", timezone: "Europe/Helsinki" });
  const ids: string[] = [];
  for (let count = 0; count < devices; count++) {
    const [type, capability] =
      count === 0 ? (["LIGHT", "ON_OFF"] as const) : (["MULTI_SENSOR", "TEMPERATURE"] as const);
    const content =
      count === 1 ? contentOf("MOTION", ["DEVICE", "MOTION"]) : contentOf(type, ["DEVICE", capability]);
    const native = `n${count}`;
    const add = { type: "ADD_DEVICE", name: native, protocol: "sim", native, radio: "sim", extras: {} };
    ids.push(await home.accept({ ...add, ...content }));
    await home.clock.pass(10);
  }
  const log = await openLmdbLog({ folder, journal: false });
  for (const commit of home.log.read()) await log.append(commit);
  const from = home.kernel.timestamp;
  await home.kernel.close();
  let under: Promise<void>[] = [];
  for (let count = 0; count < reports; count++) {
    const timestamp = from + Math.floor(((count + 1) * everyMs) / devices);
    const place = count % devices;
    const turn = Math.floor(count / devices);
    const attributes = place === 1 ? { motion: turn % 4 === 0 } : { temperature: 18 + (turn % 50) / 10 };
    const event = { type: "DeviceReported", id: ids[place] ?? "", attributes, at: timestamp };
    const logged = { ...event, version: 1, origin: "device", depth: 0 } as LoggedEvent;
    if (place > 0) under.push(log.append({ timestamp, events: [logged] }));
    if (under.length < burst) continue;
    await Promise.all(under);
    under = [];
  }
  await Promise.all(under);
  const to = log.last;
  await log.close();
  const [lamp = "", motion = ""] = ids;
  const fields = { inputs: { motion: [motion], lux: [] }, outputs: { lights: [lamp] }, extras: {} };
  return {
    from,
    to,
    rule: { type: "CONFIG", id: "tried", name: "Hall", configType: "MOTION_LIGHT", ...fields },
  };
}
