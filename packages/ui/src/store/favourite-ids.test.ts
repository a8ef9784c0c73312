import assert from "node:assert/strict";
import { test } from "node:test";
import { idsIn, withIds } from "./favourite-ids.ts";

test("reads ids of favourites, whatever another client has written", () => {
  assert.deepEqual(idsIn({ favourites: ["a", "b", "a"] }), ["a", "b"]);
  assert.deepEqual(idsIn({ favourites: ["a", 1, null, {}] }), ["a"]);
  for (const favourites of [undefined, null, "a", { a: 1 }, 3]) assert.deepEqual(idsIn({ favourites }), []);
  assert.deepEqual(idsIn({}), []);
});

test("keeps what other clients keep", () => {
  assert.deepEqual(withIds({ theme: "x", favourites: ["a"] }, ["b"]), { theme: "x", favourites: ["b"] });
});
