// docs/custom-rules.md: takes a custom rule from its file to a lamp and back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

test("the session prints what the page shows, except for values", async () => {
  const { shown, played } = await playPage("custom");
  assert.ok(shown.length > 20, "the page has no session");
  assert.deepEqual(shapeOf(played, true), shapeOf(shown, true));
});
