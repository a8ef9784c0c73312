import assert from "node:assert/strict";
import { test } from "node:test";
import { idsIn, placed, withIds } from "./favourite-ids.ts";

test("reads ids of favourites, whatever another client has written", () => {
  assert.deepEqual(idsIn({ favourites: ["a", "b", "a"] }), ["a", "b"]);
  assert.deepEqual(idsIn({ favourites: ["a", 1, null, {}] }), ["a"]);
  for (const favourites of [undefined, null, "a", { a: 1 }, 3]) assert.deepEqual(idsIn({ favourites }), []);
  assert.deepEqual(idsIn({}), []);
});

test("keeps what other clients keep", () => {
  assert.deepEqual(withIds({ theme: "x", favourites: ["a"] }, ["b"]), { theme: "x", favourites: ["b"] });
});

test("places one among others that another browser may have changed", () => {
  assert.deepEqual(placed(["a", "b"], "c", Infinity), ["a", "b", "c"]);
  assert.deepEqual(placed(["a", "b"], "c", 1), ["a", "c", "b"]);
  assert.deepEqual(placed(["a", "b"], "a", Infinity), ["b", "a"]);
  assert.deepEqual(placed(["a", "b"], "a", null), ["b"]);
  assert.deepEqual(placed([], "a", null), []);
});
