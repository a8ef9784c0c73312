import assert from "node:assert/strict";
import { test } from "node:test";
import { reopenDelay } from "./reopen-delay.ts";

test("doubles the delay from half a second up to half a minute, or what is given", () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 7, 100].map((attempt) => reopenDelay(attempt, 0.5));
  assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  const longer = [5, 6, 7, 8, 100].map((attempt) => reopenDelay(attempt, 0.5, 60_000));
  assert.deepEqual(longer, [16_000, 32_000, 60_000, 60_000, 60_000]);
});

test("jitter varies the delay by up to a quarter", () => {
  assert.deepEqual([reopenDelay(0, 0), reopenDelay(0, 1)], [375, 625]);
  for (let attempt = 0; attempt <= 2000; attempt++) {
    const middle = reopenDelay(attempt, 0.5);
    for (let chance = 0; chance <= 1; chance += 1 / 16) {
      const delay = reopenDelay(attempt, chance);
      assert.ok(delay >= middle * 0.75 - 1 && delay <= middle * 1.25 + 1, `${attempt} ${chance}: ${delay}`);
    }
  }
});
