import assert from "node:assert/strict";
import { test } from "node:test";
import { exceptionFault } from "./fault.ts";
import type { PlainSettings } from "./settings.ts";
import type { Reaction } from "./testdata/simulated-connection.ts";
import { simulatedRig as rig } from "./testdata/simulated-rig.ts";

const relay = {
  id: "relay",
  address: 1,
  name: "Relay",
  deviceType: "RELAY",
  register: 0,
  registerType: "coil",
  pollMs: 1000,
} as const;

const times = (rows: readonly { readonly when: number }[]): number[] => rows.map(({ when }) => when);
const quick = (answer: readonly number[]): Reaction => ({ ms: 5, answer });

test("polls a device at its interval and reports only changes", async () => {
  let state = 0;
  const { clock, reports, asked } = await rig([relay], () => quick([state]));
  await clock.pass(2500);
  state = 1;
  await clock.pass(2500);
  assert.deepEqual(times(asked), [0, 1000, 2000, 3000, 4000, 5000]);
  assert.deepEqual(reports, [
    { native: "line/relay", attributes: { reachable: true, isOn: false }, when: 5 },
    { native: "line/relay", attributes: { isOn: true }, when: 3005 },
  ]);
});

test("reports a device without changes as alive once a minute", async () => {
  const { clock, reports } = await rig([relay], () => quick([0]));
  await clock.pass(125_000);
  assert.deepEqual(times(reports), [5, 60_005, 120_005]);
  assert.deepEqual(reports[1]?.attributes, { lastSeen: clock.now() - 125_000 + 60_005 });
});

test("holds back a small change until it has grown or a minute has passed", async () => {
  const power = {
    attribute: "activePower",
    table: "input",
    register: 0,
    type: "u16",
    minChange: 10,
  } as const;
  const { id, address, name, pollMs } = relay;
  const meter = { id, address, name, pollMs, deviceType: "REGISTERS", class: "POWER_SOCKET" } as const;
  let watts = 100;
  const { clock, reports } = await rig([{ ...meter, points: [power] }], () => quick([watts]));
  await clock.pass(1500);
  watts = 109;
  await clock.pass(1000);
  watts = 110;
  await clock.pass(1000);
  watts = 111;
  await clock.pass(61_000);
  assert.deepEqual(
    reports.map(({ attributes }) => attributes["activePower"]),
    [100, 110, 111],
  );
});

test("three failures make a device unreachable; its next answer reports all values", async () => {
  let dead = false;
  const { clock, reports, asked } = await rig([relay], () => (dead ? "never" : quick([1])));
  await clock.pass(500);
  dead = true;
  await clock.pass(60_000);
  dead = false;
  await clock.pass(31_000);
  assert.deepEqual(
    reports.map(({ attributes }) => attributes),
    [{ reachable: true, isOn: true }, { reachable: false }, { reachable: true, isOn: true }],
  );
  // Silent from 1000 on. Each poll takes a second, and the pause after it doubles.
  assert.deepEqual(times(asked).slice(0, 7), [0, 1000, 3000, 6000, 11_000, 20_000, 37_000]);
});

test("a dead device does not starve the others on its line", async () => {
  const live = [2, 3, 4].map((address) => ({ ...relay, id: `d${address}`, address }));
  const { clock, asked } = await rig([relay, ...live], (unit) =>
    unit === 1 ? "never" : { ms: 50, answer: [0] },
  );
  await clock.pass(120_000);
  const counts = [1, 2, 3, 4].map((unit) => asked.filter(({ what }) => what.startsWith(`${unit} `)).length);
  const [dead = 0, ...others] = counts;
  assert.ok(dead >= 5 && dead <= 12, `the dead one was asked ${dead} times`);
  for (const count of others) assert.ok(count >= 105, `a live one was asked ${count} times of 120`);
});

test("a line too slow for all intervals polls the devices in turn, without a backlog", async () => {
  const devices = [1, 2, 3, 4, 5].map((address) => ({
    ...relay,
    id: `d${address}`,
    address,
    pollMs: 100 * address,
  }));
  const { clock, asked } = await rig(devices, () => ({ ms: 200, answer: [0] }));
  await clock.pass(20_000);
  const counts = [1, 2, 3, 4, 5].map(
    (unit) => asked.filter(({ what }) => what.startsWith(`${unit} `)).length,
  );
  assert.equal(asked.length, 101, "the line is used all the time");
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 2, `asked ${counts.join()}`);
});

test("a device with many registers and one with few take turns by request", async () => {
  const points = ["temperature", "humidity", "pressure", "lux", "co2Ppm"].map((attribute, index) => ({
    attribute,
    table: "input" as const,
    register: index * 1000,
    type: "u16" as const,
  }));
  const { register: _, registerType: __, deviceType: ___, ...common } = relay;
  const large = { ...common, deviceType: "MULTI_SENSOR", points } as const;
  const small = { ...relay, id: "small", address: 2 };
  const { clock, asked } = await rig([large, small], (_unit, { table }) => ({
    ms: 100,
    answer: table === "coil" ? [0] : [50],
  }));
  await clock.pass(650);
  assert.deepEqual(
    asked.slice(0, 6).map(({ what }) => what.split(" ")[0]),
    ["1", "2", "1", "1", "1", "1"],
  );
});

test("reads registers at intervals of their own, and all again after a failure", async () => {
  const point = { table: "input", type: "u16" } as const;
  const points = [
    { ...point, attribute: "activePower", register: 0, poll: "fast" as const },
    { ...point, attribute: "totalPower", register: 500, poll: "normal" as const },
  ];
  const { register: _, registerType: __, deviceType: ___, pollMs: ____, ...common } = relay;
  let dead = false;
  const { clock, asked } = await rig([{ ...common, deviceType: "MULTI_SENSOR", points }], () =>
    dead ? "never" : quick([7]),
  );
  await clock.pass(20_500);
  const at = (register: number): number => asked.filter(({ what }) => what.includes(` ${register}+`)).length;
  assert.deepEqual([at(0), at(500)], [21, 3]);
  dead = true;
  await clock.pass(3000);
  dead = false;
  asked.length = 0;
  await clock.pass(10_000);
  assert.ok(
    asked.slice(0, 2).some(({ what }) => what.includes(" 500+")),
    "the slow one is not left out",
  );
});

test("devices of one box become unreachable and return together, at the cost of one", async () => {
  const relays = [0, 1, 2, 3].map((register) => ({ ...relay, id: `r${register}`, register }));
  let dead = false;
  const { clock, poller, devices, reports, asked } = await rig(relays, () => (dead ? "never" : quick([0])));
  await clock.pass(1500);
  dead = true;
  reports.length = 0;
  asked.length = 0;
  await clock.pass(10_000);
  assert.deepEqual(
    reports.map(({ attributes }) => attributes),
    relays.map(() => ({ reachable: false })),
  );
  assert.ok(asked.length <= 5, `${asked.length} requests to a dead box`);
  dead = false;
  reports.length = 0;
  const [, second] = devices;
  assert.ok(second);
  poller.soon(second);
  await clock.pass(100);
  assert.equal(reports.length, 4, "the answer of one brings all back");
});

test("a lost line makes its devices unreachable and polls them once it is back", async () => {
  const { clock, poller, reports, connection } = await rig([relay], () => quick([1]));
  await clock.pass(100);
  connection().lose();
  await clock.pass(10);
  assert.equal(reports.length, 1, "one failure changes nothing");
  poller.down();
  poller.down();
  assert.deepEqual(reports.at(-1)?.attributes, { reachable: false });
  await clock.pass(600);
  assert.deepEqual(reports.at(-1)?.attributes, { reachable: true, isOn: true });
});

test("a device never heard from is unreachable after the first failed attempt", async () => {
  const { clock, poller, reports } = await rig([relay], () => "never");
  poller.down();
  assert.deepEqual(
    reports.map(({ attributes }) => attributes),
    [{ reachable: false }],
  );
  await clock.pass(0);
});

const both = {
  id: "sensor",
  address: 1,
  name: "Sensor",
  deviceType: "MULTI_SENSOR",
  pollMs: 1000,
  points: [
    { attribute: "temperature", table: "input", register: 0, type: "s16" },
    { attribute: "humidity", table: "input", register: 5, type: "u16" },
  ],
} as const satisfies object;
const sensor: PlainSettings = { ...both, points: [...both.points] };

test("logs a missing register once, leaves it out and retries it less and less often", async () => {
  const { clock, reports, asked, warnings } = await rig([sensor], (_unit, request) => {
    if (request.kind !== "read") return "never";
    const hit = request.register <= 5 && request.register + request.count > 5;
    return { ms: 5, answer: hit ? exceptionFault(2) : [21, 0, 0, 0, 0, 0].slice(0, request.count) };
  });
  await clock.pass(400_000);
  assert.deepEqual(
    asked.slice(0, 4).map(({ what }) => what),
    ["1 input 0+6", "1 input 0+1", "1 input 5+1", "1 input 0+1"],
  );
  const tries = asked.filter(({ what }) => what === "1 input 5+1").map(({ when }) => Math.round(when / 1000));
  assert.deepEqual(tries, [1, 62, 183]);
  assert.equal(warnings.filter((text) => text.includes("cannot be read")).length, 1);
  assert.match(warnings.join(), /"attribute":"humidity","table":"input","register":5,"reason":"exception 2/);
  assert.deepEqual(reports[0]?.attributes, { reachable: true });
  assert.deepEqual(reports[1]?.attributes, { temperature: 21 });
  assert.ok(reports.every(({ attributes }) => attributes["reachable"] !== false));
});

test("reads a register again that appears later", async () => {
  let there = false;
  const { clock, reports } = await rig([sensor], (_unit, request) => {
    if (request.kind !== "read") return "never";
    const hit = request.register <= 5 && request.register + request.count > 5;
    if (hit && !there) return { ms: 5, answer: exceptionFault(2) };
    return quick(request.register === 5 ? [44] : [21, 0, 0, 0, 0, 44].slice(0, request.count));
  });
  await clock.pass(10_000);
  there = true;
  await clock.pass(60_000);
  assert.ok(reports.some(({ attributes }) => attributes["humidity"] === 44));
});

const answers: readonly [code: number, reachable: boolean][] = [
  [0x06, true],
  [0x05, true],
  [0x04, false],
  [0x0a, false],
  [0x0b, false],
];

for (const [code, reachable] of answers) {
  test(`a device that always answers exception ${code} is ${reachable ? "reachable" : "unreachable"}`, async () => {
    const { clock, reports } = await rig([relay], () => ({ ms: 5, answer: exceptionFault(code) }));
    await clock.pass(20_000);
    assert.deepEqual(
      reports.map(({ attributes }) => attributes),
      [{ reachable }],
    );
  });
}

test("a box that fails for one of its devices still serves the others", async () => {
  const failing = { ...relay, id: "failing", register: 9 };
  const { clock, reports } = await rig([relay, failing], (_unit, request) => {
    return request.register === 9 ? { ms: 5, answer: exceptionFault(4) } : quick([1]);
  });
  await clock.pass(20_000);
  const latest = (native: string): unknown =>
    reports.findLast((said) => said.native === native && "reachable" in said.attributes)?.attributes[
      "reachable"
    ];
  assert.equal(latest("line/relay"), true);
  assert.equal(latest("line/failing"), false);
});

test("a failure of some registers does not make a device unreachable", async () => {
  const apart: PlainSettings = {
    ...sensor,
    points: [...both.points, { attribute: "open", table: "discrete", register: 0 }],
  };
  const { clock, reports } = await rig([apart], (_unit, request) => {
    return request.table === "discrete" ? { ms: 5, answer: exceptionFault(4) } : quick([21, 0, 0, 0, 0, 44]);
  });
  await clock.pass(10_000);
  assert.deepEqual(
    reports.map(({ attributes }) => attributes),
    [{ reachable: true, temperature: 21, humidity: 44 }],
  );
});

test("logs an impossible value once and does not report it", async () => {
  const { clock, reports, warnings } = await rig([sensor], () => quick([21, 0, 0, 0, 0, 120]));
  await clock.pass(5000);
  assert.deepEqual(
    reports.map(({ attributes }) => attributes),
    [{ reachable: true, temperature: 21 }],
  );
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /120 is not within 0 to 100/);
});

test("keeps polling and reporting after the wall clock is set back an hour", async () => {
  let state = 0;
  const { clock, reports, asked } = await rig([relay], () => quick([state]));
  await clock.pass(10_000);
  clock.stepWall(-3_600_000);
  asked.length = 0;
  reports.length = 0;
  await clock.pass(1500);
  assert.equal(reports.length, 1, "a sign of life");
  state = 1;
  await clock.pass(8500);
  assert.equal(asked.length, 10);
  assert.deepEqual(reports.at(-1)?.attributes, { isOn: true });
});

test("neither polls nor reports a forgotten device", async () => {
  let state = 0;
  const { clock, poller, devices, reports, asked } = await rig(
    [relay, { ...relay, id: "other", address: 2 }],
    () => quick([state]),
  );
  await clock.pass(1500);
  const [gone] = devices;
  assert.ok(gone);
  state = 1;
  poller.soon(gone);
  await clock.pass(1);
  poller.forget(gone);
  asked.length = 0;
  reports.length = 0;
  await clock.pass(70_000);
  assert.ok(asked.length > 0 && asked.every(({ what }) => what.startsWith("2 ")));
  assert.ok(reports.length > 0 && reports.every(({ native }) => native === "line/other"));
});
