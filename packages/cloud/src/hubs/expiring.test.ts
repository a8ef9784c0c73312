import assert from "node:assert/strict";
import { test } from "node:test";
import { Expiring } from "./expiring.ts";

test("returns a value until it expires, and only once if it is taken", () => {
  const held = new Expiring<string>(10, 3);
  held.put("a", "one", 0);
  assert.deepEqual([held.get("a", 9), held.get("a", 10), held.get("b", 0)], ["one", undefined, undefined]);
  assert.equal(held.take("a", 9), "one");
  assert.equal(held.take("a", 9), undefined);
  held.put("a", "one", 0);
  assert.equal(held.take("a", 10), undefined);
});

test("drops expired values, then the oldest, to make room", () => {
  const held = new Expiring<number>(10, 3);
  for (const [at, text] of ["a", "b", "c"].entries()) held.put(text, at, at);
  assert.deepEqual(
    ["a", "b", "c"].map((text) => held.get(text, 5)),
    [0, 1, 2],
  );
  held.put("d", 3, 5);
  assert.deepEqual(
    ["a", "b", "c", "d"].map((text) => held.get(text, 5)),
    [undefined, 1, 2, 3],
  );
  held.put("e", 4, 12);
  assert.deepEqual(
    ["b", "c", "d", "e"].map((text) => held.get(text, 12)),
    [undefined, undefined, 3, 4],
  );
});
