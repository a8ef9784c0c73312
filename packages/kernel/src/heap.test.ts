import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Heap } from "./heap.ts";

test("returns undefined when empty", () => {
  const heap = new Heap<string>();
  assert.deepEqual([heap.peek(), heap.pop(), heap.size], [undefined, undefined, 0]);
});

test("returns values in the order of their keys", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 50 })), (keys) => {
      const heap = new Heap<number>();
      for (const key of keys) heap.push(key, key);
      assert.equal(heap.size, keys.length);
      const out = keys.map(() => {
        assert.equal(heap.peek()?.key, heap.peek()?.value);
        return heap.pop();
      });
      assert.deepEqual(
        out,
        keys.toSorted((a, b) => a - b),
      );
      assert.equal(heap.pop(), undefined);
    }),
  );
});

test("allows pushes and pops in any sequence", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 20 }))), (steps) => {
      const heap = new Heap<number>();
      let model: number[] = [];
      for (const step of steps) {
        if (step !== null) {
          heap.push(step, step);
          model = [...model, step].toSorted((a, b) => a - b);
        } else {
          assert.equal(heap.pop(), model.shift());
        }
      }
      assert.equal(heap.size, model.length);
      heap.clear();
      assert.equal(heap.size, 0);
    }),
  );
});
