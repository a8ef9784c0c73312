import assert from "node:assert/strict";
import { test } from "node:test";
import { reopenDelay } from "./reopen-delay.ts";

test("the delay doubles from half a second to half a minute, with up to a quarter of jitter", () => {
  const delays = [1, 2, 3, 7, 100].map((failures) => reopenDelay(failures, 0.5));
  assert.deepEqual(delays, [500, 1000, 2000, 30_000, 30_000]);
  assert.deepEqual([reopenDelay(1, 0), reopenDelay(1, 1)], [375, 625]);
});
