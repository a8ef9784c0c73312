import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareText } from "./order.ts";
import { Smallest } from "./smallest.ts";

test("keeps the smallest values, in order", () => {
  const values = fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 60 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 20 }), (all, most) => {
      const smallest = new Smallest<number>(most, (a, b) => a - b);
      for (const value of all) smallest.add(value);
      assert.deepEqual(smallest.sorted(), all.toSorted((a, b) => a - b).slice(0, most));
    }),
    { numRuns: 200 },
  );
});

test("compares texts as their bytes in UTF-8 are compared", () => {
  const text = fc.string({ unit: "binary", maxLength: 5 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const order = Buffer.compare(Buffer.from(a), Buffer.from(b));
      assert.equal(Math.sign(compareText(a, b)), order);
    }),
    { numRuns: 300 },
  );
});
