import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { pause } from "./pause.ts";

test("waits its time, and leaves nothing at the signal or the clock", async () => {
  const clock = new SimulatedClock();
  const { signal } = new AbortController();
  let isOver = false;
  const paused = pause(1000, clock, signal).then(() => (isOver = true));
  await clock.pass(999);
  assert.deepEqual([isOver, getEventListeners(signal, "abort").length], [false, 1]);
  await clock.pass(1);
  await paused;
  assert.deepEqual([getEventListeners(signal, "abort").length, clock.waiting], [0, 0]);
});

test("ends at once when it is aborted, before or meanwhile", async () => {
  const clock = new SimulatedClock();
  const controller = new AbortController();
  const paused = pause(1000, clock, controller.signal);
  controller.abort();
  await paused;
  await pause(1000, clock, controller.signal);
  assert.deepEqual([clock.waiting, clock.monotonic()], [0, 0]);
});
