import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "./random.ts";

test("repeats the numbers of a seed, differs for another seed, and stays below the bound", () => {
  const numbers = (seed: number): number[] => {
    const random = seededRandom(seed);
    return Array.from({ length: 1000 }, () => random(10));
  };
  assert.deepEqual(numbers(7), numbers(7));
  assert.notDeepEqual(numbers(7), numbers(8));
  assert.deepEqual(
    [...new Set(numbers(7))].toSorted((a, b) => a - b),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
});
