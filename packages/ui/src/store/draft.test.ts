import assert from "node:assert/strict";
import { test } from "node:test";
import { keptForMs, standingOf } from "./draft.ts";

const draft = { value: "typed", base: "saved", at: 1000 };

test("a draft fits the object with which it began", () => {
  assert.equal(standingOf(draft, "saved", 1000 + keptForMs), "fits");
});

test("a draft is overtaken when its object has changed", () => {
  assert.equal(standingOf(draft, "saved by another", 2000), "overtaken");
});

test("a draft is over after 30 days, and not because the clock was set back", () => {
  assert.equal(standingOf(draft, "saved", 1001 + keptForMs), "over");
  assert.equal(standingOf(draft, "saved", 0), "fits");
});
