import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { Latch } from "./latch.ts";

test("waits until the latch opens, and no longer once it is open", async () => {
  const [clock, latch] = [new SimulatedClock(), new Latch()];
  let isOver = false;
  const waiting = latch.wait(clock, 1000).then(() => (isOver = true));
  await clock.pass(999);
  assert.equal(isOver, false);
  latch.open();
  await waiting;
  latch.open();
  await latch.wait(clock, 1000);
});

test("waits no longer than it is told", async () => {
  const [clock, latch] = [new SimulatedClock(), new Latch()];
  const waiting = latch.wait(clock, 1000);
  await clock.pass(1000);
  await waiting;
});
