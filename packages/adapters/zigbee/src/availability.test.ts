import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { Availability, availabilityTiming as timing } from "./availability.ts";
import { Chores } from "./chores.ts";

const minute = 60_000;
const hour = 60 * minute;

interface Stage {
  readonly clock: SimulatedClock;
  readonly availability: Availability;
  /** The reports in order: `lamp` for reachable, `-lamp` for unreachable. */
  readonly said: string[];
  /** Each ping with its minute. */
  readonly asked: string[];
  /** The devices that answer. */
  readonly alive: Set<string>;
}

function stage(): Stage {
  const clock = new SimulatedClock();
  const said: string[] = [];
  const asked: string[] = [];
  const alive = new Set<string>();
  const availability = new Availability({
    clock,
    timing,
    chores: new Chores(() => {}),
    async ping(ieee) {
      asked.push(`${ieee} ${Math.round(clock.monotonic() / minute)}`);
      if (!alive.has(ieee)) throw new Error("after 5000ms");
    },
    report: (ieee, reachable) => said.push(reachable ? ieee : `-${ieee}`),
  });
  return { clock, availability, said, asked, alive };
}

const lamp = { isMains: true, silentMs: 0 };
const sensor = { isMains: false, silentMs: 0 };

test("pings a mains device after ten minutes of silence and keeps it reachable while it answers", async () => {
  const { clock, availability, said, asked, alive } = stage();
  alive.add("lamp");
  availability.watch("lamp", lamp);
  availability.radioUp();
  await clock.pass(9 * minute);
  assert.deepEqual([said, asked], [["lamp"], []]);
  await clock.pass(22 * minute);
  assert.deepEqual([said, asked], [["lamp"], ["lamp 10", "lamp 20", "lamp 30"]]);
});

test("an unanswered mains device becomes unreachable and is pinged less and less often", async () => {
  const { clock, availability, said, asked } = stage();
  availability.watch("lamp", lamp);
  availability.radioUp();
  await clock.pass(30 * minute);
  assert.deepEqual(said, ["lamp", "-lamp"]);
  assert.deepEqual(asked, ["lamp 10", "lamp 11", "lamp 13", "lamp 17", "lamp 25"]);
  availability.heard("lamp");
  assert.deepEqual(said, ["lamp", "-lamp", "lamp"], "any frame makes it reachable again");
});

test("does not ping a battery device, which becomes unreachable after a day of silence", async () => {
  const { clock, availability, said, asked } = stage();
  availability.watch("sensor", sensor);
  availability.watch("valve", { ...sensor, checkInMs: hour });
  availability.radioUp();
  await clock.pass(5 * hour);
  assert.deepEqual(said, ["sensor", "valve", "-valve"], "a device that checks in is missed sooner");
  await clock.pass(21 * hour);
  assert.deepEqual(said.slice(3), ["-sensor"]);
  assert.deepEqual(asked, []);
});

test("a missing stick makes its devices unreachable after a grace period, until it returns", async () => {
  const { clock, availability, said } = stage();
  availability.watch("lamp", lamp);
  availability.watch("sensor", sensor);
  availability.radioUp();
  said.length = 0;
  availability.radioDown();
  await clock.pass(timing.graceMs - 1);
  availability.radioUp();
  await clock.pass(minute);
  assert.deepEqual(said, [], "a short absence changes nothing");
  availability.radioDown();
  await clock.pass(48 * hour);
  assert.deepEqual(said, ["-lamp", "-sensor"]);
  availability.radioUp();
  assert.deepEqual(
    said,
    ["-lamp", "-sensor", "lamp", "sensor"],
    "silence does not count while the stick is away",
  );
});

test("devices start as unreachable when the stick is missing", async () => {
  const { clock, availability, said } = stage();
  availability.watch("lamp", lamp);
  availability.radioDown();
  await clock.pass(minute);
  assert.deepEqual(said, ["-lamp"]);
});

test("a start counts as a short absence, before or after reachability is heeded", async () => {
  const { clock, availability, said } = stage();
  availability.watch("lamp", lamp);
  availability.radioDown();
  availability.ignore(false);
  await clock.pass(timing.graceMs - 1);
  availability.radioUp();
  assert.deepEqual(said, ["lamp"]);
});

test("pings a mains device at once that was silent before the start; a silent sensor is unreachable", async () => {
  const { clock, availability, said, alive } = stage();
  alive.add("lamp");
  availability.watch("lamp", { ...lamp, silentMs: hour });
  availability.watch("dead", { ...lamp, silentMs: hour });
  availability.watch("sensor", { ...sensor, silentMs: 26 * hour });
  availability.radioUp();
  await clock.pass(0);
  assert.deepEqual(said, ["-sensor", "lamp"]);
  await clock.pass(2 * minute);
  assert.deepEqual(said, ["-sensor", "lamp", "-dead"]);
});

test("a change of the wall clock makes no device unreachable", async () => {
  const { clock, availability, said } = stage();
  availability.watch("sensor", sensor);
  availability.radioUp();
  clock.stepWall(10_000 * hour);
  await clock.pass(minute);
  clock.stepWall(-20_000 * hour);
  await clock.pass(minute);
  assert.deepEqual(said, ["sensor"]);
});

test("reports every device as reachable while reachability is ignored", async () => {
  const { clock, availability, said } = stage();
  availability.watch("lamp", lamp);
  availability.radioDown();
  await clock.pass(minute);
  availability.ignore(true);
  availability.radioUp();
  availability.left("lamp");
  await clock.pass(2 * hour);
  assert.deepEqual(said, ["-lamp", "lamp"]);
  availability.ignore(false);
  assert.deepEqual(said, ["-lamp", "lamp", "-lamp"]);
});

test("does not report forgotten devices", async () => {
  const { clock, availability, said } = stage();
  availability.watch("lamp", lamp);
  availability.forget("lamp");
  availability.radioUp();
  availability.heard("lamp");
  availability.radioDown();
  await clock.pass(minute);
  assert.deepEqual(said, []);
});

test("users may allow a device another silence, and a switch without a battery any", async () => {
  const { clock, availability, said, asked } = stage();
  availability.watch("lamp", { ...lamp, allowedMs: 3 * minute });
  availability.watch("sensor", { ...sensor, allowedMs: 2 * hour });
  availability.watch("switch", { ...sensor, checkInMs: Infinity });
  availability.radioUp();
  await clock.pass(4 * minute);
  assert.deepEqual(asked, ["lamp 3", "lamp 4"]);
  await clock.pass(2 * hour);
  assert.deepEqual(said, ["lamp", "sensor", "switch", "-lamp", "-sensor"]);
  assert.equal(availability.timesOf("switch").silenceMs, null);
  assert.equal(availability.timesOf("sensor").silenceMs, 2 * hour);
  await clock.pass(60 * hour);
  assert.ok(availability.isReachable("switch"));
});
