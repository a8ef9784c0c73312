import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { Broadcasts } from "./broadcasts.ts";

const { signal } = new AbortController();

test("sends a burst at once, then one frame per 1.5 seconds, and lets only one wait", async () => {
  const clock = new SimulatedClock();
  const broadcasts = new Broadcasts(clock);
  for (let frame = 0; frame < 4; frame += 1) await broadcasts.turn(signal);
  let turns = 0;
  const waiting = broadcasts.turn(signal).then(() => (turns += 1));
  await assert.rejects(broadcasts.turn(signal), { code: "busy" });
  await clock.pass(1499);
  assert.equal(turns, 0);
  await clock.pass(1);
  await waiting;
  const next = broadcasts.turn(signal);
  await clock.pass(1500);
  await next;
});

test("a cancelled wait frees its place", async () => {
  const clock = new SimulatedClock();
  const broadcasts = new Broadcasts(clock);
  for (let frame = 0; frame < 4; frame += 1) await broadcasts.turn(signal);
  const abort = new AbortController();
  const overtaken = assert.rejects(broadcasts.turn(abort.signal), { code: "cancelled" });
  abort.abort();
  await overtaken;
  await assert.rejects(broadcasts.turn(abort.signal), { code: "cancelled" });
  const next = broadcasts.turn(signal);
  await clock.pass(1500);
  await next;
});

test("allows a full burst again after a pause and leaves no timer", async () => {
  const clock = new SimulatedClock();
  const broadcasts = new Broadcasts(clock);
  for (let round = 0; round < 2; round += 1) {
    for (let frame = 0; frame < 4; frame += 1) await broadcasts.turn(signal);
    await clock.pass(6000);
    assert.equal(clock.waiting, 0);
  }
});
