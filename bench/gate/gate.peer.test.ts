// The gate: no hot path takes more instructions than the baseline allows. Minutes long, so only in CI.
import assert from "node:assert/strict";
import { test } from "node:test";
import { problemsWith, readBaseline } from "./baseline.ts";
import { countInstructions } from "./counts.ts";

test("the hot paths take the instructions of the baseline, 2 % more at most", async () => {
  assert.deepEqual(problemsWith(await countInstructions(), readBaseline()), []);
});
