// Rules: what a step costs, how many of them an event reaches, and what ten thousand of them hold.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { openKernel, systemClock } from "@ledge/kernel";
import { memoryLog, openLmdbLog } from "@ledge/log";
import type { Commit, LoggedEvent, World } from "@ledge/model";
import { aggregates, categories, EpochOpened } from "@ledge/model";
import { catalogue, RuleEngine } from "@ledge/rules";
import type { TestKernel } from "@ledge/testkit";
import { openTestKernel } from "@ledge/testkit";
import { recordedSteps, stepped, transitioned } from "@ledge/rules/testing";
import type { Figure } from "./figure.ts";
import { collectGarbage } from "./heap.ts";
import { interleavedMinima, quantile } from "./rounds.ts";

const rules = 10_000;
const presses = 200;
const reportsPerSecond = 200;

export async function ruleFigures(): Promise<readonly Figure[]> {
  const log = memoryLog();
  for (const commit of history()) await log.append(commit);
  return [
    ...(await steps()),
    ...(await reach(log.clone())),
    ...(await memory(log)),
    await restart(log.clone()),
    ...(await press()),
  ];
}

/** What most of what devices report comes to is gated: a step that changes nothing. */
async function steps(): Promise<readonly Figure[]> {
  const { idle, changing } = recordedSteps("AUTO_OFF", 400);
  const mixed = catalogue.templates.map(({ configType }) => recordedSteps(configType, 40));
  const every = mixed.flatMap((walk) => [...walk.idle, ...walk.changing]);
  const figures: Figure[] = [];
  for (const [what, recorded, of, isGated] of [
    ["step that changes nothing", idle, "an AUTO_OFF rule", true],
    ["step that changes something", changing, "an AUTO_OFF rule", false],
    ["step of any kind", every, "a rule of every template", false],
  ] as const) {
    const best = await interleavedMinima({
      step: () => recorded.forEach(stepped),
      transition: () => recorded.forEach(transitioned),
    });
    const how = `interleaved minima over ${recorded.length} steps from a walk of ${of}`;
    const ratio = {
      name: `rules ${what}, transition() per step`,
      value: best.transition / best.step,
      unit: "x",
      how,
    };
    figures.push(
      {
        name: `rules ${what}, time`,
        value: best.step / recorded.length,
        unit: "ns",
        limit: null,
        gated: false,
        how,
      },
      isGated ? { ...ratio, limit: ">= 3", gated: true } : { ...ratio, limit: null, gated: false },
    );
  }
  return figures;
}

async function reach(log: ReturnType<typeof memoryLog>): Promise<readonly Figure[]> {
  const hub = openTestKernel({ log });
  const world = worldOf(hub);
  const [, stepping] = new RuleEngine(catalogue).reactions;
  const react = (sensor: string) => () => stepping?.react(nothingNew(sensor), world);
  const best = await interleavedMinima({ one: react(sensorId(7)), all: react(shared) });
  return [
    {
      name: "rules event to one of 10000",
      value: best.one,
      unit: "ns",
      limit: null,
      gated: false,
      how: "best of rounds: a report that one rule hears, from the index to the end of its step",
    },
    {
      name: "rules event to all of 10000, per event to one",
      value: best.all / best.one,
      unit: "x",
      limit: ">= 500",
      gated: true,
      how: "interleaved minima: a report that every rule hears by one that a single rule hears",
    },
  ];
}

async function memory(log: ReturnType<typeof memoryLog>): Promise<readonly Figure[]> {
  const empty = memoryLog();
  for (const commit of history(0)) await empty.append(commit);
  const began = collectGarbage();
  const without = openTestKernel({ log: empty });
  const bare = collectGarbage() - began;
  const hub = openTestKernel({ log });
  const before = collectGarbage();
  const [, stepping] = new RuleEngine(catalogue).reactions;
  stepping?.react(nothingNew(shared), worldOf(hub));
  const after = collectGarbage();
  // Both are still there.
  if (stepping === undefined || hub.kernel.size("rule") - without.kernel.size("rule") !== rules) {
    throw new Error("the rules are gone");
  }
  const how = "growth of the heap after a collection";
  return [
    {
      name: "rules memory of each of 10000",
      value: (after - before) / rules,
      unit: "bytes",
      limit: "<= 1229",
      gated: true,
      how: `${how} by an engine with its index and the snapshots of all machines`,
    },
    {
      name: "rules memory of each of 10000, with its states",
      value: (after - began - 2 * bare) / rules,
      unit: "bytes",
      limit: null,
      gated: false,
      how: `${how} by all that the hub holds of a rule: its CONFIG, where its machine stands, its places in the maps and the recency list`,
    },
  ];
}

async function restart(log: ReturnType<typeof memoryLog>): Promise<Figure> {
  const first = openTestKernel({ log });
  await first.kernel.sync();
  let best = Infinity;
  for (let round = 0; round < 5; round++) {
    const copy = log.clone();
    const start = performance.now();
    const hub = openTestKernel({ log: copy, reactions: new RuleEngine(catalogue).reactions });
    const report = {
      type: "REPORT_DEVICE",
      id: sensorId(7),
      attributes: { motion: true },
      at: hub.clock.now(),
    };
    await hub.submit(report, { origin: "device" });
    best = Math.min(best, performance.now() - start);
    hub.kernel.close().catch(() => undefined);
  }
  return {
    name: "rules start with 10000",
    value: best,
    unit: "ms",
    limit: "<= 500",
    gated: false,
    how: "a kernel over a snapshot in memory until the first report was heard and its commit done, best of 5",
  };
}

/** From a report to the command that the hub hands on when it is decided, on a log on disk. */
async function press(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  const log = await openLmdbLog({ folder });
  for (const commit of history()) await log.append(commit);
  const kernel = openKernel({
    log,
    aggregates,
    categories,
    reactions: new RuleEngine(catalogue).reactions,
    epochEvent: EpochOpened.type,
    clock: systemClock,
    newId: randomUUID,
    timeTrusted: () => true,
    onFatal: (error) => {
      throw error;
    },
    pause: () => setImmediate(),
    release: "bench",
  });
  try {
    kernel.settled();
    const report = (device: string, attributes: object, quiet = false) => {
      const command = { type: "REPORT_DEVICE", id: device, attributes, at: Date.now() };
      return kernel.submit({ commands: [command], origin: "device", quiet });
    };
    let decidedAt = 0;
    kernel.subscribe({
      decided: (_timestamp, _firstIndex, events) => {
        if (events.some(({ type }) => type === "CommandIssued")) decidedAt = performance.now();
      },
    });
    let said = 0;
    const chatter = setInterval(() => {
      void report(sensorId(5000 + (said++ % 1000)), { lux: said % 1000 }, true);
    }, 1000 / reportsPerSecond);
    const samples: number[] = [];
    for (let index = 0; index < presses; index++) {
      await sleep(15);
      const start = performance.now();
      await report(sensorId(index), { motion: true });
      if (decidedAt > start) samples.push(decidedAt - start);
    }
    clearInterval(chatter);
    if (samples.length < presses) throw new Error(`${presses - samples.length} presses led to no command`);
    const how = `${presses} reports of motion until the command of one of 10000 rules is handed on, ${reportsPerSecond} reports/s meanwhile, log on disk`;
    const limit = "<= 10";
    return [
      {
        name: "rules report to command, p50",
        value: quantile(samples, 0.5),
        unit: "ms",
        limit: null,
        gated: false,
        how,
      },
      {
        name: "rules report to command, p99",
        value: quantile(samples, 0.99),
        unit: "ms",
        limit,
        gated: false,
        how,
      },
    ];
  } finally {
    await kernel.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const sensorId = (index: number): string => `sensor-${String(index).padStart(5, "0")}`;
const shared = "shared";
const lamps = 1000;
const perCommit = 500;

/** A home of ten thousand lights by motion: each has a sensor of its own, and one that all of them share. */
function* history(count: number = rules): Generator<Commit> {
  const events: LoggedEvent[] = [];
  const note = (event: object): void => {
    events.push({ version: 1, origin: "system", depth: 0, ...event } as LoggedEvent);
  };
  const add = (id: string, type: string, capability: string): void => {
    const content = { manufacturer: null, model: null, extras: {} };
    note({
      type: "DeviceAdded",
      id,
      name: id,
      class: type,
      capabilities: ["DEVICE", capability],
      ...content,
    });
  };
  const shown = { reachable: true, motion: false };
  for (let index = 0; index < lamps; index++) add(`lamp-${index}`, "LIGHT", "ON_OFF");
  for (const id of [shared, ...Array.from({ length: rules }, (_, index) => sensorId(index))]) {
    add(id, "MOTION", "MOTION");
    note({ type: "DeviceReported", id, attributes: shown, at: 1 });
  }
  for (let index = 0; index < count; index++) {
    const id = `rule-${index}`;
    const inputs = { motion: [sensorId(index), shared], lux: [] };
    const extras = { timeout: [], maxLux: [], level: [], activeTimes: [] };
    const of = { name: `Light ${index}`, configType: "MOTION_LIGHT", inputs, extras };
    const config = { type: "CONFIG", id, ...of, outputs: { lights: [`lamp-${index % lamps}`] } };
    note({ type: "RuleCreated", id, config, scenes: [], timers: [], version: 2 });
    note({ type: "RuleTurnedOn", id, scene: null });
    const stands = { value: { on: "dark" }, context: { lit: [] } };
    note({ type: "RuleStepped", id, rule: id, templateVersion: 1, ...stands });
  }
  for (let from = 0, timestamp = 1; from < events.length; from += perCommit, timestamp++) {
    yield { timestamp, events: events.slice(from, from + perCommit) };
  }
}

/** A report that a sensor sees nothing still: rules that hear it step, and stay where they are. */
function nothingNew(id: string): LoggedEvent {
  const attributes = { motion: false };
  return {
    type: "DeviceReported",
    id,
    attributes,
    at: 2,
    version: 1,
    origin: "device",
    depth: 0,
  } as LoggedEvent;
}

function worldOf({ kernel }: TestKernel): World {
  const { get, all, size } = {
    get: kernel.get.bind(kernel),
    all: kernel.all.bind(kernel),
    size: kernel.size.bind(kernel),
  };
  return { now: Date.now(), newId: randomUUID, get, all, size, before: { get } };
}
