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
  /** What was said, in order: `lamp` or `-lamp`. */
  readonly said: string[];
  /** Who was asked, and when (minutes from the start). */
  readonly asked: string[];
  /** Who answers. */
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

test("a mains device that is silent for ten minutes is asked, and is there while it answers", async () => {
  const { clock, availability, said, asked, alive } = stage();
  alive.add("lamp");
  availability.watch("lamp", lamp);
  availability.radioUp();
  await clock.pass(9 * minute);
  assert.deepEqual([said, asked], [["lamp"], []]);
  await clock.pass(22 * minute);
  assert.deepEqual([said, asked], [["lamp"], ["lamp 10", "lamp 20", "lamp 30"]]);
});

test("one that does not answer twice is out of reach, and is asked ever less often", async () => {
  const { clock, availability, said, asked } = stage();
  availability.watch("lamp", lamp);
  availability.radioUp();
  await clock.pass(30 * minute);
  assert.deepEqual(said, ["lamp", "-lamp"]);
  assert.deepEqual(asked, ["lamp 10", "lamp 11", "lamp 13", "lamp 17", "lamp 25"]);
  availability.heard("lamp");
  assert.deepEqual(said, ["lamp", "-lamp", "lamp"], "any frame brings it back");
});

test("a device with a battery is not asked; it is out of reach after a day of silence", async () => {
  const { clock, availability, said, asked } = stage();
  availability.watch("sensor", sensor);
  availability.watch("valve", { ...sensor, checkInMs: hour });
  availability.radioUp();
  await clock.pass(5 * hour);
  assert.deepEqual(said, ["sensor", "valve", "-valve"], "one that checks in is missed sooner");
  await clock.pass(21 * hour);
  assert.deepEqual(said.slice(3), ["-sensor"]);
  assert.deepEqual(asked, []);
});

test("a stick that is away takes its devices with it after a while, and brings them back", async () => {
  const { clock, availability, said } = stage();
  availability.watch("lamp", lamp);
  availability.watch("sensor", sensor);
  availability.radioUp();
  said.length = 0;
  availability.radioDown();
  await clock.pass(timing.graceMs - 1);
  availability.radioUp();
  await clock.pass(minute);
  assert.deepEqual(said, [], "a short absence is none");
  availability.radioDown();
  await clock.pass(48 * hour);
  assert.deepEqual(said, ["-lamp", "-sensor"]);
  availability.radioUp();
  assert.deepEqual(said, ["-lamp", "-sensor", "lamp", "sensor"], "they were not silent: nobody listened");
});

test("devices are away from the start when the stick is", async () => {
  const { clock, availability, said } = stage();
  availability.watch("lamp", lamp);
  availability.radioDown();
  await clock.pass(minute);
  assert.deepEqual(said, ["-lamp"]);
});

test("a start is a short absence, whether reachability is heeded or was before", async () => {
  const { clock, availability, said } = stage();
  availability.watch("lamp", lamp);
  availability.radioDown();
  availability.ignore(false);
  await clock.pass(timing.graceMs - 1);
  availability.radioUp();
  assert.deepEqual(said, ["lamp"]);
});

test("who was silent for long before the start is asked first, and a sensor is missed", async () => {
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

test("a wall clock that is set silences nobody", async () => {
  const { clock, availability, said } = stage();
  availability.watch("sensor", sensor);
  availability.radioUp();
  clock.stepWall(10_000 * hour);
  await clock.pass(minute);
  clock.stepWall(-20_000 * hour);
  await clock.pass(minute);
  assert.deepEqual(said, ["sensor"]);
});

test("who is told to ignore it finds all devices reachable", async () => {
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

test("what was forgotten is not spoken of", async () => {
  const { clock, availability, said } = stage();
  availability.watch("lamp", lamp);
  availability.forget("lamp");
  availability.radioUp();
  availability.heard("lamp");
  availability.radioDown();
  await clock.pass(minute);
  assert.deepEqual(said, []);
});
