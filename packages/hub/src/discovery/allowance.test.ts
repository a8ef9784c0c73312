import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { Allowance } from "./allowance.ts";

test("grants amounts only in full, down to zero, and refills in the next second", () => {
  const clock = new SimulatedClock();
  const allowance = new Allowance(clock, 10);
  assert.deepEqual(
    [11, 9, 2, 1, 1].map((amount) => allowance.take(amount)),
    [false, true, false, true, false],
  );
  clock.advance(1000);
  assert.equal(allowance.take(10), true);
});
