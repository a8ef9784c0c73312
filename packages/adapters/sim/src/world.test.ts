import assert from "node:assert/strict";
import test from "node:test";
import { attribute } from "@ledge/model";
import type { Report } from "@ledge/port";
import type { Attributes } from "./behaviour/behaviour.ts";
import { home } from "./home.ts";
import { SimulatedWorld } from "./world.ts";

const morning = Date.UTC(2026, 0, 15, 5);
const hourMs = 3_600_000;

interface Stage {
  readonly world: SimulatedWorld;
  readonly reports: Report[];
  /** The newest reported value of an attribute. */
  readonly last: (native: string, name: string) => unknown;
}

function stage(seed = 1, now = morning): Stage {
  const reports: Report[] = [];
  const world = new SimulatedWorld({ seed, now, devices: home, report: (report) => reports.push(report) });
  for (const native of world.natives) world.refresh(native);
  const last = (native: string, name: string): unknown =>
    reports.findLast((report) => report.native === native && name in report.attributes)?.attributes[name];
  return { world, reports, last };
}

/** Steps second by second for up to 15 minutes, else in one long step. */
function run(world: SimulatedWorld, ms: number): void {
  if (ms > hourMs / 4) world.step(ms);
  else for (let left = ms; left > 0; left -= 1000) world.step(1000);
}

const isPulse = ({ attributes }: Report): boolean =>
  Object.keys(attributes).some((name) => attribute(name)?.cadence === "pulse");

test("the same seed makes the same reports, and another seed makes others", () => {
  const told = (seed: number): string => {
    const { world, reports } = stage(seed);
    run(world, 2 * hourMs);
    world.set("living/ceiling", { isOn: true });
    run(world, 300_000);
    return JSON.stringify(reports);
  };
  assert.equal(told(5), told(5));
  assert.notEqual(told(5), told(6));
});

for (const hour of [0, 8, 13, 18]) {
  test(`the home reports about once a second from ${hour} o'clock, mostly levels`, () => {
    const { world, reports } = stage(2, Date.UTC(2026, 3, 15, hour - 2));
    reports.length = 0;
    for (let second = 0; second < 1800; second += 1) world.step(1000);
    const perSecond = reports.length / 1800;
    assert.ok(perSecond > 0.2 && perSecond < 3, `${perSecond} reports per second`);
    assert.ok(reports.filter(isPulse).length < reports.length / 5, "too many pulses");
  });
}

test("people move: motion comes and goes, doors open and close", () => {
  const { world, reports } = stage();
  run(world, 6 * hourMs);
  const values = (name: string): unknown[] => reports.flatMap(({ attributes }) => attributes[name] ?? []);
  for (const name of ["motion", "open"]) {
    assert.ok(values(name).includes(true), `${name} never true`);
    assert.ok(values(name).lastIndexOf(false) > values(name).indexOf(true), `${name} never false again`);
  }
});

test("dawn switches the twilight sensor once and brightens the rooms", () => {
  const { world, reports } = stage();
  run(world, 6 * hourMs);
  const turns = reports.filter(
    ({ native, attributes }) => native === "outdoors/twilight" && "twilight" in attributes,
  );
  assert.deepEqual([...new Set(turns.map(({ attributes }) => attributes["twilight"]))], [true, false]);
  assert.ok(Number(world.shown("living/motion")["lux"]) > 20);
});

test("a lamp lights its room and draws power", () => {
  const { world, last } = stage(1, Date.UTC(2026, 0, 15, 20));
  run(world, 60_000);
  const dark = Number(world.shown("kitchen/motion")["lux"]);
  const idle = Number(last("kitchen/ceiling", "power"));
  world.set("kitchen/ceiling", { isOn: true, brightness: 1 });
  run(world, 60_000);
  assert.ok(Number(world.shown("kitchen/motion")["lux"]) > dark + 100);
  assert.ok(idle < 1 && Number(last("kitchen/ceiling", "power")) > 30, "the meter follows");
});

test("a meter counts its energy", () => {
  const { world } = stage();
  world.set("bathroom/floor-heating", { isOn: true });
  run(world, 1000);
  const before = Number(world.shown("bathroom/floor-heating")["totalPower"]);
  run(world, hourMs);
  const used = Number(world.shown("bathroom/floor-heating")["totalPower"]) - before;
  assert.ok(Math.abs(used - 0.32) < 0.01, `${used} kWh`);
});

test("a higher target warms the room, and the demand falls as it gets warm", () => {
  const { world } = stage();
  world.act("living/balcony-door", "close");
  run(world, 600_000);
  const of = (name: string): number => Number(world.shown("living/thermostat")[name]);
  const cool = of("temperature");
  world.set("living/thermostat", { targetTemperature: 24, targetTemp: 24 });
  run(world, 60_000);
  const demand = of("heatingDemand");
  assert.equal(demand, 1);
  for (let hour = 0; hour < 8; hour += 1) world.step(hourMs);
  assert.ok(of("temperature") > cool + 1, `${cool} -> ${of("temperature")}`);
  assert.ok(of("heatingDemand") < demand);
});

test("blinds move slowly and report on the way", () => {
  const { world, reports } = stage();
  reports.length = 0;
  world.set("living/blinds", { position: 0.3 });
  run(world, 60_000);
  const positions = reports.flatMap(({ native, attributes }) =>
    native === "living/blinds" && typeof attributes["position"] === "number" ? [attributes["position"]] : [],
  );
  assert.ok(positions.length > 3, positions.join());
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => b - a),
  );
  assert.equal(positions.at(-1), 0.3);
});

test("the siren stops by itself after three minutes", () => {
  const { world, last } = stage();
  world.set("hallway/siren", { isOn: true });
  run(world, 179_000);
  assert.equal(last("hallway/siren", "isOn"), true);
  run(world, 2000);
  assert.equal(last("hallway/siren", "isOn"), false);
});

test("a ventilation boost ends after half an hour", () => {
  const { world, last } = stage();
  world.set("utility/ventilation", { mode: 4 });
  run(world, 1_780_000);
  assert.equal(last("utility/ventilation", "mode"), 4);
  run(world, 30_000);
  assert.equal(last("utility/ventilation", "mode"), 2);
});

test("no alarm occurs by itself in three days", () => {
  const { world, reports } = stage();
  for (let hour = 0; hour < 72; hour += 1) world.step(hourMs);
  const alarming = (attributes: Attributes): boolean =>
    attributes["moisture"] === true || attributes["coDetected"] === true;
  assert.ok(
    !reports.some(
      ({ native, attributes }) =>
        alarming(attributes) || (native === "hallway/smoke" && attributes["alert"] === true),
    ),
  );
  assert.ok(
    reports.some(({ attributes }) => "button" in attributes),
    "nobody pressed a key",
  );
  assert.ok(
    reports.some(({ native, attributes }) => native === "hallway/bell" && attributes["alert"] === true),
    "nobody rang",
  );
});

const actions: readonly [
  native: string,
  action: Parameters<SimulatedWorld["act"]>[1],
  name: string,
  endsAfterMs: number,
][] = [
  ["hallway/smoke", "smoke", "alert", 60_000],
  ["kitchen/leak", "leak", "moisture", 600_000],
  ["utility/co", "gas", "coDetected", 300_000],
  ["hallway/bell", "press", "alert", 5000],
];
for (const [native, action, name, endsAfterMs] of actions) {
  test(`${action} at ${native} reports at once and ends after ${endsAfterMs / 1000} s`, () => {
    const { world, last } = stage();
    world.act(native, action);
    assert.equal(last(native, name), true);
    run(world, endsAfterMs - 1000);
    assert.equal(last(native, name), true);
    run(world, 1000);
    assert.equal(last(native, name), false);
  });
}

test("reports each press once", () => {
  const { world, reports } = stage(1, Date.UTC(2026, 0, 15, 1));
  reports.length = 0;
  world.act("living/remote", "press");
  world.act("living/remote", "press");
  run(world, 5000);
  const presses = reports.filter(({ native }) => native === "living/remote");
  assert.deepEqual(
    presses.map(({ attributes }) => attributes["button"]),
    [1, 1],
  );
});

test("a door that a script opens stays open until the script closes it", () => {
  const { world, last } = stage();
  world.act("hallway/front-door", "open");
  run(world, hourMs);
  assert.equal(last("hallway/front-door", "open"), true);
  world.act("hallway/front-door", "close");
  assert.equal(last("hallway/front-door", "open"), false);
});

test("held attributes override the device's own until they are released", () => {
  const { world, last } = stage();
  world.hold("living/climate", { temperature: 35 });
  run(world, 120_000);
  assert.equal(last("living/climate", "temperature"), 35);
  world.hold("living/climate", { temperature: null });
  assert.notEqual(last("living/climate", "temperature"), 35);
});

test("an unplugged device is silent and reports everything once plugged in", () => {
  const { world, reports } = stage();
  world.plug("hallway/motion", false);
  assert.deepEqual(reports.at(-1), { native: "hallway/motion", attributes: { reachable: false } });
  reports.length = 0;
  world.act("hallway/motion", "walk");
  run(world, hourMs / 4);
  assert.ok(!reports.some(({ native }) => native === "hallway/motion"));
  world.plug("hallway/motion", true);
  assert.equal(reports.at(-1)?.attributes["reachable"], true);
  assert.ok("lux" in (reports.at(-1)?.attributes ?? {}));
});

test("a dead radio makes its devices unreachable and returns without the unplugged one", () => {
  const { world, reports } = stage();
  reports.length = 0;
  world.plug("air", false);
  const lost = reports.length;
  assert.equal(lost, home.filter(({ radio, unplugged }) => radio === "air" && !unplugged).length);
  world.plug("air", true);
  assert.equal(reports.filter(({ attributes }) => attributes["reachable"] === true).length, lost);
  assert.equal(world.isReachable("bedroom/bedside"), false);
});

test("a trusting radio reports its devices as reachable until it stops trusting", () => {
  const { world, reports } = stage();
  const said = (): [string, unknown][] =>
    reports.splice(0).map(({ native, attributes }) => [native, attributes["reachable"]]);
  said();
  world.trust("air", true);
  assert.deepEqual(said(), [["bedroom/bedside", true]]);
  world.plug("hallway/motion", false);
  world.trust("air", true);
  assert.deepEqual(said(), []);
  world.refresh("hallway/motion");
  assert.deepEqual(said(), [["hallway/motion", true]]);
  world.plug("wire", false);
  assert.ok(said().every(([, reachable]) => reachable === false));
  world.trust("air", false);
  assert.deepEqual(said(), [
    ["bedroom/bedside", false],
    ["hallway/motion", false],
  ]);
  assert.equal(world.isReachable("hallway/motion"), false);
});

test("restores a kept state and ignores one of another shape", () => {
  const before = stage().world;
  before.set("living/ceiling", { isOn: true, hue: 2, brightness: 0.3 });
  const kept = structuredClone(before.keep("living/ceiling"));
  const after = stage(9).world;
  after.restore("living/ceiling", kept);
  assert.deepEqual(after.shown("living/ceiling")["hue"], 2);
  assert.deepEqual(after.shown("living/ceiling")["isOn"], true);
  after.restore("living/ceiling", [{ isOn: "yes" }]);
  after.restore("living/ceiling", "nonsense");
  assert.deepEqual(after.shown("living/ceiling")["isOn"], true);
});
