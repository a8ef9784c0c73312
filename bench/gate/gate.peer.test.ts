// The gate: no hot path takes more instructions than the baseline allows. Minutes long, so only in CI.
import assert from "node:assert/strict";
import { test } from "node:test";
import { leastOf, namesOver, otherTool, problemsWith, readBaseline } from "./baseline.ts";
import { countInstructions } from "./counts.ts";
import { toolsHere } from "./guest.ts";

/** On a machine that does other work too, the emulator takes its time. */
const timeout = 1_500_000;

test("the hot paths take the instructions of the baseline, 2 % more at most", { timeout }, async () => {
  const [tools, baseline] = [toolsHere(), readBaseline()];
  // Before minutes are spent on counts that compare with nothing.
  const other = tools && otherTool(tools, baseline);
  if (other !== undefined) assert.fail(other);
  const first = await countInstructions();
  // Where the compiler is late it makes other code of the same source. What has grown is over twice.
  const over = namesOver(first, baseline);
  const counts = over.length > 0 ? leastOf(first, await countInstructions(over)) : first;
  assert.deepEqual(problemsWith(counts, baseline), []);
});
