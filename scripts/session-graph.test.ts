// docs/graph.md: lists hubs, commands a lamp and follows an operation, with one token.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

test("the session prints what the page shows, except for values", async () => {
  const { shown, played } = await playPage("graph");
  assert.ok(shown.length > 10, "the page has no session");
  assert.deepEqual(shapeOf(played, true), shapeOf(shown, true));
});
