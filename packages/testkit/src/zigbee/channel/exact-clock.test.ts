import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "../../simulated-clock.ts";
import type { Clock } from "../../clock.ts";
import { ExactClock, exactRealTime } from "./exact-clock.ts";

/** A clock whose timers are late by 0.9 ms. */
function lateClock(): { clock: SimulatedClock; late: Clock } {
  const clock = new SimulatedClock(0);
  return { clock, late: { now: () => clock.now(), after: (ms, then) => clock.after(ms + 0.9, then) } };
}

test("an exact clock adds up short steps although the timers below it are late", () => {
  const { clock, late } = lateClock();
  const exact = new ExactClock(late);
  const seen: number[] = [];
  const step = (): void => {
    seen.push(exact.now());
    if (seen.length < 10) exact.after(0.5, step);
  };
  exact.after(0.5, step);
  clock.advance(7);
  assert.deepEqual(seen, [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]);
});

test("an exact clock runs callbacks in order of their time, and none that was cancelled", () => {
  const { clock, late } = lateClock();
  const exact = new ExactClock(late);
  const ran: string[] = [];
  exact.after(5, () => ran.push("late"));
  exact.after(1, () => ran.push("early"));
  exact.after(1, () => ran.push("early, second"));
  const cancel = exact.after(2, () => ran.push("cancelled"));
  cancel();
  cancel();
  clock.advance(10);
  assert.deepEqual(ran, ["early", "early, second", "late"]);
});

test("an exact clock goes on after a callback that throws", () => {
  const { clock, late } = lateClock();
  const exact = new ExactClock(late);
  const ran: string[] = [];
  exact.after(1, () => {
    throw new Error("broken");
  });
  exact.after(1, () => ran.push("next"));
  assert.throws(() => clock.advance(3), /broken/);
  clock.advance(3);
  assert.deepEqual(ran, ["next"]);
});

test("real time runs as many times faster as one wants", async () => {
  const clock = exactRealTime(1000);
  const { promise, resolve } = Promise.withResolvers<number>();
  clock.after(500, () => {
    const began = clock.now();
    clock.after(1500, () => resolve(clock.now() - began));
  });
  // The timer alone does not keep the process alive.
  const hold = setInterval(() => {}, 1000);
  const passed = await promise;
  clearInterval(hold);
  assert.equal(Math.round(passed), 1500);
});
