import assert from "node:assert/strict";
import { test } from "node:test";
import { InvertedIndex } from "./inverted-index.ts";

test("finds an id under its newest keys only", () => {
  const hubs = new InvertedIndex();
  hubs.put("a", ["ada", "bob", "ada"]);
  hubs.put("b", ["bob"]);
  assert.deepEqual([...hubs.under("ada")], ["a"]);
  assert.deepEqual([...hubs.under("bob")], ["a", "b"]);
  hubs.put("a", ["constructor"]);
  assert.deepEqual([...hubs.under("ada")], []);
  assert.deepEqual([...hubs.under("bob")], ["b"]);
  assert.deepEqual([...hubs.under("constructor")], ["a"]);
  hubs.put("a", []);
  assert.deepEqual([...hubs.under("constructor")], []);
});
