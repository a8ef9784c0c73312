import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { Gate } from "./gate.ts";

test("lets callers pass while open, one by one on `step`, and all once it opens", async () => {
  const gate = new Gate();
  await gate.pass();
  gate.close();
  const passed: number[] = [];
  for (const number of [1, 2, 3]) void gate.pass().then(() => passed.push(number));
  await setImmediate();
  assert.deepEqual([passed, gate.waiting], [[], 3]);
  gate.step();
  await setImmediate();
  assert.deepEqual([passed, gate.waiting], [[1], 2]);
  gate.open();
  await setImmediate();
  assert.deepEqual([passed, gate.waiting], [[1, 2, 3], 0]);
  await gate.pass();
});
