import assert from "node:assert/strict";
import test from "node:test";
import type { AdapterErrorCode, DeviceCommand, DeviceDescription, Report } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { SimulatedClock } from "@ledge/testkit";
import { home, SimAdapter } from "./index.ts";

interface Stage {
  readonly adapter: SimAdapter;
  readonly clock: SimulatedClock;
  readonly reports: Report[];
  readonly announced: DeviceDescription[];
  readonly store: Map<string, unknown>;
}

async function stage(settings: object = {}, store = new Map<string, unknown>()): Promise<Stage> {
  const adapter = new SimAdapter();
  const clock = new SimulatedClock();
  const reports: Report[] = [];
  const announced: DeviceDescription[] = [];
  await adapter.start({
    settings,
    clock,
    announce: (device) => announced.push(device),
    report: (report) => reports.push(report),
    found: () => {},
    folder: "/nowhere",
    lost: () => {},
    trouble: () => {},
    store: {
      get: (key) => store.get(key),
      put: async (key, value) => void store.set(key, structuredClone(value)),
    },
    log: () => {},
  });
  return { adapter, clock, reports, announced, store };
}

const lamp = "living/ceiling";
const unplugged = "bedroom/bedside";
const set = (attributes: Record<string, unknown>): DeviceCommand => ({ type: "set", attributes });

/** Returns how a command ends, and after how many ms. */
async function outcome(
  { adapter, clock }: Stage,
  native: string,
  command: DeviceCommand,
): Promise<[AdapterErrorCode | "ok", number]> {
  const begun = clock.monotonic();
  let ended: [AdapterErrorCode | "ok", number] | undefined;
  adapter.send(native, command, new AbortController().signal).then(
    () => (ended = ["ok", clock.monotonic() - begun]),
    (error: unknown) => {
      assert.ok(error instanceof AdapterError);
      ended = [error.code, clock.monotonic() - begun];
    },
  );
  await clock.pass(5000);
  assert.ok(ended, "it never ended");
  return ended;
}

test("announces the home and reports each device's state, with one unreachable lamp", async () => {
  const { announced, reports } = await stage();
  assert.equal(announced.length, home.length);
  assert.ok(announced.every(({ capabilities }) => capabilities[0] === "DEVICE"));
  const unreachable = reports.filter(({ attributes }) => attributes["reachable"] === false);
  assert.deepEqual(
    unreachable.map(({ native }) => native),
    [unplugged],
  );
  assert.ok("hue" in (unreachable[0]?.attributes ?? {}), "it keeps its last known state");
  const remote = announced.find((device) => device.class === "REMOTE_CONTROL");
  const buttons = remote?.extras?.["buttons"] as unknown[] | undefined;
  assert.deepEqual(buttons?.[0], { type: "RC_BUTTON", id: 1, label: "On" });
});

test("answers a command after its latency and reports the change at once", async () => {
  const play = await stage({ latencyMs: 120 });
  play.reports.length = 0;
  assert.deepEqual(await outcome(play, lamp, set({ isOn: true, brightness: 0.4667 })), ["ok", 120]);
  assert.deepEqual(play.reports[0], { native: lamp, attributes: { isOn: true, brightness: 0.4667 } });
});

const refusals: readonly [
  name: string,
  native: string,
  command: DeviceCommand,
  settings: object,
  ends: [string, number],
][] = [
  ["unreachable", unplugged, set({ isOn: true }), {}, ["unreachable", 2000]],
  ["for an unknown device", "nowhere", set({ isOn: true }), {}, ["refused", 0]],
  ["beyond the capabilities", "hallway/ceiling", set({ brightness: 1 }), {}, ["unsupported", 0]],
  ["read-only", lamp, set({ minTemperature: 1 }), {}, ["unsupported", 0]],
  ["lost", lamp, set({ isOn: true }), { lossRate: 1 }, ["timeout", 2000]],
  [
    "dropped by script",
    lamp,
    set({ isOn: true }),
    { script: [{ atMs: 0, native: lamp, action: "drop" }] },
    ["timeout", 2000],
  ],
];
for (const [name, native, command, settings, ends] of refusals) {
  test(`a command that is ${name} ends as ${ends[0]}`, async () => {
    const play = await stage(settings);
    await play.clock.pass(0);
    const before = play.adapter.world?.shown(lamp)["isOn"];
    assert.deepEqual(await outcome(play, native, command), ends);
    assert.equal(play.adapter.world?.shown(lamp)["isOn"], before, "nothing was carried out");
  });
}

test("a drop loses only one command", async () => {
  const play = await stage();
  play.adapter.perform({ native: lamp, action: "drop" });
  assert.deepEqual((await outcome(play, lamp, set({ isOn: true })))[0], "timeout");
  assert.deepEqual((await outcome(play, lamp, set({ isOn: true })))[0], "ok");
});

test("loses commands at the configured rate, the same ones for the same seed", async () => {
  const losses = async (seed: number): Promise<number[]> => {
    const play = await stage({ seed, lossRate: 0.3, latencyMs: 0 });
    const lost: number[] = [];
    for (let index = 0; index < 100; index += 1) {
      if ((await outcome(play, lamp, set({ isOn: true })))[0] === "timeout") lost.push(index);
    }
    return lost;
  };
  const lost = await losses(4);
  assert.ok(lost.length > 15 && lost.length < 45, String(lost.length));
  assert.deepEqual(await losses(4), lost);
});

test("a refresh reports everything", async () => {
  const play = await stage();
  play.reports.length = 0;
  assert.deepEqual(await outcome(play, "hallway/motion", { type: "refresh" }), ["ok", 60]);
  const first = play.reports.find(({ native }) => native === "hallway/motion");
  assert.deepEqual(Object.keys(first?.attributes ?? {}).toSorted(), [
    "batteryLow",
    "batteryV",
    "lux",
    "motion",
    "reachable",
    "temperature",
  ]);
});

test("runs each script entry at its time", async () => {
  const { clock, reports } = await stage({
    script: [
      { atMs: 3000, native: "hallway/smoke", action: "smoke" },
      { atMs: 1000, native: "living/climate", attributes: { temperature: -5 } },
      { atMs: 2000, native: lamp, action: "unplug" },
      { atMs: 4000, native: lamp, action: "plug" },
    ],
  });
  const seen: unknown[] = [];
  for (const native of ["living/climate", lamp, "hallway/smoke", lamp]) {
    reports.length = 0;
    await clock.pass(1000);
    seen.push(reports.findLast((report) => report.native === native)?.attributes);
  }
  assert.equal((seen[0] as Record<string, unknown>)["temperature"], -5);
  assert.deepEqual(seen[1], { reachable: false });
  assert.deepEqual((seen[2] as Record<string, unknown>)["alert"], true);
  assert.equal((seen[3] as Record<string, unknown>)["reachable"], true);
});

test("speed accelerates simulated time, but not commands", async () => {
  const play = await stage({ speed: 60 });
  const begun = play.adapter.world?.now ?? 0;
  await play.clock.pass(10_000);
  assert.equal((play.adapter.world?.now ?? 0) - begun, 600_000);
  assert.deepEqual(await outcome(play, lamp, set({ isOn: true })), ["ok", 60]);
});

test("the same seed and clock make the same reports", async () => {
  const told = async (seed: number): Promise<string> => {
    const { clock, reports } = await stage({ seed });
    await clock.pass(600_000);
    return JSON.stringify(reports);
  };
  const first = await told(8);
  assert.equal(await told(8), first);
  assert.notEqual(await told(9), first);
});

test("a jump of the wall clock does not move simulated time", async () => {
  const { adapter, clock } = await stage();
  await clock.pass(10_000);
  const before = adapter.world?.now ?? 0;
  clock.stepWall(86_400_000);
  await clock.pass(1000);
  assert.equal((adapter.world?.now ?? 0) - before, 1000);
});

test("lamps and meters keep their state over a restart, sensors start over", async () => {
  const first = await stage();
  await outcome(first, lamp, set({ isOn: true, hue: 2 }));
  assert.deepEqual([...first.store.keys()], [`state/${lamp}`], "a command stores its device");
  await first.clock.pass(600_000);
  const total = Number(first.adapter.world?.shown("living/computer")["totalPower"]);
  await first.adapter.stop();
  const second = await stage({ seed: 77 }, first.store);
  assert.equal(second.adapter.world?.shown(lamp)["hue"], 2);
  assert.equal(second.reports.find(({ native }) => native === lamp)?.attributes["isOn"], true);
  assert.equal(second.adapter.world?.shown("living/computer")["totalPower"], total);
});

test("stores nothing when it must not remember", async () => {
  const play = await stage({ remember: false });
  await outcome(play, lamp, set({ isOn: true }));
  await play.adapter.stop();
  assert.equal(play.store.size, 0);
});

test("carries out supported commands and refuses others as unsupported", async () => {
  const play = await stage();
  const ends = async (native: string, type: "identify" | "snapshot"): Promise<string> =>
    (await outcome(play, native, { type }))[0];
  assert.equal(await ends(lamp, "identify"), "ok");
  assert.equal(await ends("outdoors/camera", "snapshot"), "ok");
  assert.equal(await ends(lamp, "snapshot"), "unsupported");
  assert.equal(await ends("kitchen/fridge", "identify"), "unsupported");
  assert.equal(await ends(unplugged, "identify"), "unreachable");
});

test("refuses requests to an unreachable device and to one that does not support them", async () => {
  const { adapter } = await stage();
  const ask = async (type: string, native: string): Promise<string> => {
    const { signal } = new AbortController();
    try {
      await adapter.requests[type]?.({ type, native, parameters: {} }, signal);
      return "ok";
    } catch (error) {
      return (error as AdapterError).code;
    }
  };
  assert.equal(await ask("GET_QUEUE", "living/speaker"), "ok");
  assert.equal(await ask("GET_QUEUE", lamp), "unsupported");
  assert.equal(await ask("SET_CONFIGURATION", lamp), "unsupported");
  assert.equal(await ask("START_UPGRADE", lamp), "unsupported");
  adapter.perform({ native: "wire", action: "unplug" });
  for (const [type, native] of [
    ["GET_QUEUE", "living/speaker"],
    ["SCAN_WIFIS", "outdoors/camera"],
    ["SET_CONFIGURATION", "living/thermostat"],
  ] as const)
    assert.equal(await ask(type, native), "unreachable", type);
});

test("stores meters every hour", async () => {
  const { clock, store } = await stage();
  await clock.pass(3_599_000);
  assert.equal(store.size, 0);
  await clock.pass(1000);
  assert.ok(store.has("state/kitchen/fridge"));
});

test("announces any number of devices", async () => {
  const few = await stage({ devices: 3 });
  assert.equal(few.announced.length, 3);
  const many = await stage({ devices: home.length * 2 + 1 });
  assert.equal(new Set(many.announced.map(({ native }) => native)).size, home.length * 2 + 1);
  assert.deepEqual((await outcome(many, `${lamp}/3`, set({ isOn: true })))[0], "ok");
});

test("leaves no timer behind after a stop", async () => {
  const { adapter, clock } = await stage({ script: [{ atMs: 5000, native: lamp, action: "drop" }] });
  const send = assert.rejects(
    adapter.send(lamp, set({ isOn: true }), new AbortController().signal),
    AdapterError,
  );
  await adapter.stop();
  await send;
  assert.equal(clock.waiting, 0);
});

test("keeps ignoring reachability after a restart", async () => {
  const { adapter, reports, store } = await stage();
  const ignore = { type: "SET_ZIGBEE", ignore_reachability: true };
  await adapter.requests["SET_ZIGBEE"]?.(ignore, new AbortController().signal);
  assert.deepEqual(reports.at(-1), { native: unplugged, attributes: { reachable: true } });
  await adapter.stop();
  const again = await stage({}, store);
  assert.ok(again.reports.every(({ attributes }) => attributes["reachable"] !== false));
  await again.adapter.stop();
});
