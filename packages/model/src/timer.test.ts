import assert from "node:assert/strict";
import { test } from "node:test";
import { crowdedWorld, given, testNow } from "@ledge/testkit";
import { limits } from "./limits.ts";
import { timer } from "./timer.ts";

const set = (changes: object = {}) => ({
  type: "TimerSet",
  id: "t",
  due: testNow + 5000,
  durationMs: 5000,
  late: "fire",
  lateMaxMs: 0,
  ...changes,
});

test("SET_TIMER sets a relative timer from now on; its generation is the time of setting", () => {
  const shown = given().when({ type: "SET_TIMER", id: "t", durationMs: 5000, late: "fire" }).then([set()]);
  assert.deepEqual(shown.state("timer", "t"), {
    id: "t",
    due: testNow + 5000,
    durationMs: 5000,
    late: "fire",
    lateMaxMs: 0,
    generation: testNow,
  });
});

test("SET_TIMER_AT sets an absolute timer, even in the past", () => {
  for (const due of [testNow + 77, 0]) {
    given()
      .when({ type: "SET_TIMER_AT", id: "t", due, late: "skip", lateMaxMs: 9000 })
      .then([set({ due, durationMs: null, late: "skip", lateMaxMs: 9000 })]);
  }
});

test("SET_TIMER replaces a timer with the same id", () => {
  const again = { type: "SET_TIMER", id: "t", durationMs: 0, late: "recheck" };
  const shown = given([set()])
    .when(again, testNow + 900)
    .then([set({ due: testNow + 900, durationMs: 0, late: "recheck" })]);
  assert.equal(shown.state("timer", "t")?.generation, testNow + 900);
});

for (const durationMs of [-1, 0.5, NaN, Infinity, Number.MAX_SAFE_INTEGER]) {
  test(`SET_TIMER refuses ${durationMs} ms`, () => {
    given()
      .when({ type: "SET_TIMER", id: "t", durationMs, late: "fire" })
      .then({ rejected: "invalid", message: "due is no time", field: "due" });
  });
}

test("SET_TIMER_AT refuses an invalid due time", () => {
  for (const due of [NaN, 1.5, Infinity]) {
    given()
      .when({ type: "SET_TIMER_AT", id: "t", due, late: "fire" })
      .then({ rejected: "invalid", field: "due" });
  }
});

test("SET_TIMER stops at the limit, but can still replace timers", () => {
  const command = { type: "SET_TIMER", id: "t", durationMs: 5000, late: "fire" } as const;
  const there = { ...set(), generation: 1, late: "fire" } as const;
  assert.deepEqual(timer.decide(command, undefined, crowdedWorld(limits.timers - 1)), [set()]);
  assert.deepEqual(timer.decide(command, there, crowdedWorld(limits.timers)), [set()]);
  const refusal = { rejected: "invalid", message: `at most ${limits.timers} timers` };
  assert.deepEqual(timer.decide(command, undefined, crowdedWorld(limits.timers)), refusal);
});

test("CANCEL_TIMER cancels an existing timer", () => {
  const after = given([set()])
    .when({ type: "CANCEL_TIMER", id: "t" })
    .then([{ type: "TimerCancelled", id: "t" }]);
  assert.equal(after.state("timer", "t"), undefined);
  given().when({ type: "CANCEL_TIMER", id: "t" }).then([]);
});

const fire = (changes: object = {}) => ({
  type: "FIRE_TIMER",
  id: "t",
  generation: 1,
  lateMs: 0,
  ...changes,
});

test("FIRE_TIMER fires only the present generation of a timer", () => {
  const after = given([set()])
    .when(fire({ lateMs: 3 }))
    .then([{ type: "TimerFired", id: "t", lateMs: 3 }]);
  assert.equal(after.state("timer", "t"), undefined);
  given([set(), set()]).when(fire()).then([]);
  given().when(fire()).then([]);
});

const grace = limits.timerGraceMs;
for (const [late, lateMaxMs, lateMs, outcome] of [
  ["fire", 0, 10 * 86_400_000, "TimerFired"],
  ["recheck", 0, 10 * 86_400_000, "TimerFired"],
  ["skip", 0, 0, "TimerFired"],
  ["skip", 0, grace, "TimerFired"],
  ["skip", 0, grace + 1, "TimerSkipped"],
  ["skip", 3 * grace, 3 * grace, "TimerFired"],
  ["skip", 3 * grace, 3 * grace + 1, "TimerSkipped"],
] as const) {
  test(`a timer that may ${late}, ${lateMs} ms late of ${lateMaxMs}: ${outcome}`, () => {
    const after = given([set({ late, lateMaxMs })])
      .when(fire({ lateMs }))
      .then([{ type: outcome, id: "t", lateMs }]);
    assert.equal(after.state("timer", "t"), undefined);
  });
}
