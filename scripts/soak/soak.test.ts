import assert from "node:assert/strict";
import { test } from "node:test";
import { runSoak } from "./soak.ts";

test("a short soak: loses no press and knows the state of every lamp", async () => {
  const result = await runSoak({ ms: 20_000, devices: 4, seed: 3, pauseMs: 3000, tell: () => {} });
  assert.deepEqual([result.lost, result.differing], [0, 0]);
  assert.ok(result.troubles > 0 && result.presses > 0 && result.commands > 0, JSON.stringify(result));
  assert.ok(result.memoryHub > 0 && result.memoryAdapters > 0);
});
