import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { every } from "./every.ts";

test("pauses from the end of each time, and never does it twice at once", async () => {
  const clock = new SimulatedClock();
  const times: PromiseWithResolvers<void>[] = [];
  const stop = every(1000, clock, () => {
    const time = Promise.withResolvers<void>();
    times.push(time);
    return time.promise;
  });
  await clock.pass(999);
  assert.equal(times.length, 0);
  await clock.pass(1);
  await clock.pass(5000);
  assert.deepEqual([times.length, clock.waiting], [1, 0]);
  times[0]?.resolve();
  await clock.pass(0);
  await clock.pass(1000);
  assert.equal(times.length, 2);
  stop();
});

test("leaves nothing at the clock once it is stopped, before or during a time", async () => {
  const clock = new SimulatedClock();
  every(1000, clock, () => Promise.resolve())();
  assert.equal(clock.waiting, 0);
  const time = Promise.withResolvers<void>();
  const stop = every(1000, clock, () => time.promise);
  await clock.pass(1000);
  stop();
  time.resolve();
  await clock.pass(1000);
  assert.equal(clock.waiting, 0);
});
