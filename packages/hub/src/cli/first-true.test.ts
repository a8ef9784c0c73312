import assert from "node:assert/strict";
import { test } from "node:test";
import { firstTrue } from "./first-true.ts";

for (const [from, to, since, expected] of [
  [0, 1000, 617, 617],
  [0, 1000, 1000, 1000],
  [0, 1000, 1001, undefined],
  [5, 1000, 5, 5],
  [5, 1000, 0, 5],
  [5, 6, 6, 6],
  [7, 7, 7, 7],
  [0, Number.MAX_SAFE_INTEGER, 12_345, 12_345],
] as const)
  test(`from ${from} to ${to}, true since ${since}, finds ${expected}`, async () => {
    let asked = 0;
    const found = await firstTrue(from, to, async (at) => {
      assert.ok(at >= from && at <= to);
      asked++;
      return at >= since;
    });
    assert.equal(found, expected);
    assert.ok(asked <= 56);
  });
