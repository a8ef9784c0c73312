import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { Retries } from "./retries.ts";

const { retryMinMs, retryMaxMs } = limits;

test("tries again after longer and longer, and anew after a success", async () => {
  const clock = new SimulatedClock();
  const retries = new Retries(clock);
  const tried: number[] = [];
  let begun = clock.monotonic();
  const act = (): void => {
    tried.push(clock.monotonic() - begun);
    begun = clock.monotonic();
    retries.failed("a", act);
  };
  retries.failed("a", act);
  assert.deepEqual([retries.isWaiting("a"), retries.isWaiting("b")], [true, false]);
  await clock.pass(retryMaxMs * 20);
  assert.deepEqual(tried.slice(0, 3), [retryMinMs, retryMinMs * 2, retryMinMs * 4]);
  assert.equal(tried.at(-1), retryMaxMs);
  retries.succeeded("a");
  assert.equal(clock.waiting, 0);
  tried.length = 0;
  begun = clock.monotonic();
  retries.failed("a", act);
  await clock.pass(retryMinMs);
  assert.deepEqual(tried, [retryMinMs]);
  retries.stop();
});

test("tries each key once, and none after a stop", async () => {
  const clock = new SimulatedClock();
  const retries = new Retries(clock);
  const tried: string[] = [];
  retries.failed("a", () => tried.push("first"));
  retries.failed("a", () => tried.push("second"));
  retries.failed("b", () => tried.push("other"));
  await clock.pass(retryMaxMs);
  assert.deepEqual(tried.toSorted(), ["other", "second"]);
  retries.failed("b", () => tried.push("late"));
  retries.stop();
  retries.failed("c", () => tried.push("late"));
  await clock.pass(retryMaxMs);
  assert.deepEqual([tried.length, clock.waiting], [2, 0]);
});
