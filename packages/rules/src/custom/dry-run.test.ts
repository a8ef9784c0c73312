import assert from "node:assert/strict";
import { test } from "node:test";
import { mostPerMinute } from "./dry-run.ts";

test("counts the most events within any 60 seconds", () => {
  assert.equal(mostPerMinute([]), 0);
  assert.equal(mostPerMinute([5]), 1);
  assert.equal(mostPerMinute([0, 59_999, 60_000]), 2);
  assert.equal(mostPerMinute([0, 50_000, 55_000, 60_001, 100_000, 300_000]), 4);
});
