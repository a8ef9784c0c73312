import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Fifo } from "./fifo.ts";

test("returns values in the order of their pushes, with shifts and drains in between", () => {
  const step = fc.oneof(fc.nat(9), fc.constant("shift" as const), fc.constant("drain" as const));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      for (const it of steps) {
        if (it === "shift") assert.equal(fifo.shift(), model.shift());
        else if (it === "drain") assert.deepEqual(fifo.drain(), model.splice(0));
        else {
          fifo.push(it);
          model.push(it);
        }
        assert.equal(fifo.length, model.length);
      }
    }),
  );
});

test("empties a long queue fast", () => {
  const fifo = new Fifo<number>();
  const count = 300_000;
  for (let value = 0; value < count; value++) fifo.push(value);
  let next = 0;
  while (fifo.length > 0) assert.equal(fifo.shift(), next++);
  assert.equal(next, count);
});
