import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import type { Reaction } from "@ledge/model";
import { limits } from "@ledge/model";
import type { TestKernel, TestKernelOptions } from "@ledge/testkit";
import { openTestKernel, SimulatedClock } from "@ledge/testkit";
import fc from "fast-check";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const start = Date.UTC(2026, 0, 15, 10);
const day = 86_400_000;

const set = (id: string, durationMs: number, how: object = { late: "fire" }) => ({
  type: "SET_TIMER",
  id,
  durationMs,
  ...how,
});
const setAt = (id: string, due: number, how: object = { late: "fire" }) => ({
  type: "SET_TIMER_AT",
  id,
  due,
  ...how,
});

/** Returns the outcomes of timers: `<id> fired|skipped at <ms after the start> late <ms>`. */
function outcomes({ log }: TestKernel): string[] {
  const found: string[] = [];
  for (const { timestamp, events } of log.read()) {
    for (const event of events) {
      const { type, id, lateMs } = event as typeof event & { lateMs: number };
      if (type === "TimerFired") found.push(`${id} fired at ${timestamp - start} late ${lateMs}`);
      if (type === "TimerSkipped") found.push(`${id} skipped at ${timestamp - start} late ${lateMs}`);
    }
  }
  return found;
}

function open(options: TestKernelOptions = {}): TestKernel {
  return openTestKernel({ clock: new SimulatedClock(start), ...options });
}

/** Restarts the hub after a downtime of `downMs`. */
async function restartAfter(
  home: TestKernel,
  downMs: number,
  changes?: TestKernelOptions,
): Promise<TestKernel> {
  const { clock } = home;
  const log = home.log.clone();
  await home.kernel.close();
  await clock.pass(downMs);
  return home.restart({ log, ...changes });
}

test("fires, skips or rechecks a timer that came due while the hub was down", async () => {
  const home = open();
  await home.submit([
    set("fire", 1000),
    set("skip", 1000, { late: "skip", lateMaxMs: 20_000 }),
    set("skip late", 1000, { late: "skip", lateMaxMs: 30_000 }),
    setAt("fire at", start + 1000),
    setAt("recheck", start + 2000, { late: "recheck" }),
    set("later", 40_000, { late: "recheck" }),
  ]);
  const again = await restartAfter(home, 30_000);
  await again.clock.pass(0);
  assert.deepEqual(outcomes(again), [
    "fire fired at 30000 late 29000",
    "fire at fired at 30000 late 29000",
    "skip skipped at 30000 late 29000",
    "skip late fired at 30000 late 29000",
  ]);
  await again.clock.pass(20_000);
  assert.deepEqual([...again.kernel.all("timer")].map(([id]) => id).toSorted(), ["later", "recheck"]);
  again.kernel.settled();
  await again.clock.pass(0);
  assert.deepEqual(outcomes(again).slice(4), [
    "recheck fired at 50000 late 48000",
    "later fired at 50000 late 10000",
  ]);
});

test("does not skip a timer that is within the grace period", async () => {
  const home = open();
  await home.submit([set("a", 1000, { late: "skip" })]);
  const again = await restartAfter(home, 1000 + limits.timerGraceMs);
  await again.clock.pass(0);
  assert.match(outcomes(again)[0] ?? "", /^a fired/);
});

test("fires a timer again when its firing sets it again, but not one cancelled as it is due", async () => {
  const again: Reaction = {
    name: "again",
    on: ["TimerFired"],
    react: ({ id }) => (id === "tick" ? [set("tick", 1000)] : []),
  };
  const home = open({ reactions: [again] });
  await home.submit([set("tick", 1000), set("gone", 1500)]);
  await home.clock.pass(1499);
  const cancelled = home.submit({ type: "CANCEL_TIMER", id: "gone" });
  home.clock.advance(1);
  await cancelled;
  await home.clock.pass(2000);
  assert.deepEqual(
    outcomes(home),
    [1, 2, 3].map((n) => `tick fired at ${n * 1000} late 0`),
  );
});

test("fires a replaced timer once, at its new time", async () => {
  const home = open();
  await home.submit(set("a", 1000));
  await home.clock.pass(900);
  await home.submit(set("a", 1000));
  await home.submit(set("a", 500));
  await home.clock.pass(5000);
  assert.deepEqual(
    outcomes(home),
    ["a fired at 1401 late 0"],
    "the third commit within its millisecond, plus 500",
  );
});

test("fires a timer twice when it is replaced while its firing is in flight", async () => {
  const home = open();
  await home.submit(set("a", 1000));
  home.clock.advance(1000);
  await home.submit(set("a", 700));
  await home.clock.pass(5000);
  assert.deepEqual(outcomes(home), ["a fired at 1000 late 0", "a fired at 1700 late 0"]);
});

test("drops a firing that was not yet decided when the timer was replaced", async () => {
  const home = open();
  await home.submit(set("a", 1000));
  const { generation } = home.kernel.get("timer", "a") ?? {};
  const replaced = home.submit(set("a", 2000));
  const late = home.submit({ type: "FIRE_TIMER", id: "a", generation, lateMs: 0 });
  await Promise.all([replaced, late]);
  assert.deepEqual(outcomes(home), []);
  await home.clock.pass(5000);
  assert.equal(outcomes(home).length, 1);
});

test("fires thousands of timers that are due at once, in commits of bounded size", async () => {
  const count = 25_000;
  const home = open();
  for (let from = 0; from < count; from += 1000) {
    await home.submit(Array.from({ length: 1000 }, (_, index) => setAt(`t${from + index}`, start + day)));
  }
  await home.clock.pass(day);
  assert.equal(home.kernel.size("timer"), 0);
  const fired = [...home.log.read(start + day - 1)].map(({ events }) => events.length);
  assert.equal(
    fired.reduce((sum, length) => sum + length, 0),
    count,
  );
  assert.ok(Math.max(...fired) <= limits.batchEvents + 1000, fired.join());
});

test("fires a timer after 60 days, across restarts", async () => {
  let home = open();
  await home.submit([set("relative", 60 * day), setAt("absolute", start + 60 * day)]);
  for (let restarts = 0; restarts < 6; restarts++) {
    home.clock.advance(10 * day - (restarts === 5 ? 1 : 0));
    home = home.restart();
  }
  assert.deepEqual(outcomes(home), []);
  await home.clock.pass(1);
  assert.deepEqual(outcomes(home).toSorted(), [
    `absolute fired at ${60 * day} late 0`,
    `relative fired at ${60 * day} late 0`,
  ]);
});

test("counts the rest of a relative timer from the end of the log while the clock is untrusted", async () => {
  const home = open();
  await home.submit([set("relative", 60_000), setAt("absolute", start + 60_000)]);
  await home.clock.pass(20_000);
  await home.submit({ type: "CMD_ROOM", name: "the last thing that happened" });
  const clock = new SimulatedClock(5000);
  let vouched = false;
  const again = home.restart({ clock, timeTrusted: () => vouched });
  assert.equal(again.kernel.health.clockTrusted, false);
  await clock.pass(39_999);
  assert.deepEqual(outcomes(again), []);
  await clock.pass(1);
  assert.deepEqual(outcomes(again), ["relative fired at 60000 late 0"]);
  await clock.pass(day);
  assert.equal(again.kernel.size("timer"), 1, "an absolute timer waits for the time");
  clock.stepWall(start + 2 * day - clock.wall());
  vouched = true;
  await clock.pass(5000);
  assert.equal(again.kernel.size("timer"), 0);
});

/** Timers that are set and cancelled over time. `at` is when, in ms after the start. */
const script = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 200 }).map((n) => n * 50),
    id: fc.constantFrom("a", "b", "c", "d"),
    ms: fc.option(fc.integer({ min: 0, max: 5000 }), { nil: undefined, freq: 5 }),
    isRelative: fc.boolean(),
    late: fc.constantFrom("fire", "skip", "recheck"),
  }),
  { minLength: 1, maxLength: 20, size: "max" },
);
const restarts = fc.uniqueArray(
  fc.integer({ min: 1, max: 400 }).map((n) => n * 25),
  { maxLength: 6 },
);

type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

/** Plays a script to its end, with instant restarts at some moments. */
async function play(list: Script, moments: readonly number[]): Promise<string[]> {
  let home = open({ log: memoryLog() });
  home.kernel.settled();
  const ends = 20_000;
  for (let now = 0; now < ends; now += 25) {
    if (moments.includes(now)) {
      if (now % 50 === 0) await home.kernel.sync();
      home = home.restart();
      home.kernel.settled();
    }
    for (const { at, id, ms, isRelative, late } of list) {
      if (at !== now) continue;
      if (ms === undefined) await home.submit({ type: "CANCEL_TIMER", id });
      else await home.submit(isRelative ? set(id, ms, { late }) : setAt(id, start + now + ms, { late }));
    }
    await home.clock.pass(25);
  }
  assert.equal(home.kernel.size("timer"), 0);
  return outcomes(home);
}

test(`timers behave the same with restarts at any moment (SEED=${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(script, restarts, async (list, moments) => {
      assert.deepEqual(await play(list, moments), await play(list, []));
    }),
    { seed, numRuns: 25 },
  );
});
