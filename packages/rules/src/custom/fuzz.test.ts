import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzInstaller } from "./test-fuzz.ts";

test("random sources are refused with a reason, or give rules that survive random events", () => {
  const { accepted, refusals, failures, steps } = fuzzInstaller(3000, 7);
  assert.deepEqual(failures, []);
  assert.ok(accepted > 100, `${accepted} are accepted`);
  assert.ok(Object.keys(refusals).length > 40, `${Object.keys(refusals).length} reasons`);
  assert.ok(steps > 2000);
});

test("fuzzInstaller repeats itself with the same seed", () => {
  assert.deepEqual(fuzzInstaller(100, 3), fuzzInstaller(100, 3));
  assert.notDeepEqual(fuzzInstaller(100, 3), fuzzInstaller(100, 4));
});
