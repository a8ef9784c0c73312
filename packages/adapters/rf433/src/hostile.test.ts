import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { mutatedLine, tryLine } from "./testing.ts";

const cases = Number(process.env["CASES"] ?? 2000);

test(`whatever is heard makes a device within its bounds, or none (${cases} lines)`, () => {
  const outcomes = new Set<string>();
  for (let number = 0; number < cases; number += 1) {
    const line = mutatedLine((count) => randomInt(count));
    const { outcome, problems } = tryLine(line);
    outcomes.add(outcome);
    assert.deepEqual(problems, [], JSON.stringify(line));
  }
  for (const outcome of ["signal", "none", "hello"]) assert.ok(outcomes.has(outcome), outcome);
});
