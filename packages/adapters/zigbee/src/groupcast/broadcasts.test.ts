import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { broadcastDeliveryMs, Broadcasts } from "./broadcasts.ts";

test("has eight broadcasts in any nine seconds, whatever the wall clock says", () => {
  const clock = new SimulatedClock();
  const broadcasts = new Broadcasts(clock, broadcastDeliveryMs);
  for (let sent = 0; sent < 8; sent += 1) {
    assert.equal(broadcasts.left, 8 - sent);
    broadcasts.note();
    clock.advance(100);
  }
  assert.equal(broadcasts.left, 0);
  clock.stepWall(3_600_000);
  clock.advance(8199);
  assert.equal(broadcasts.left, 0);
  clock.advance(1);
  assert.equal(broadcasts.left, 1);
  clock.advance(700);
  assert.deepEqual([broadcasts.left, clock.waiting], [8, 0]);
});
