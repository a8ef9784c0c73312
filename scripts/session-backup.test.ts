// docs/backup.md: makes a backup and restores it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

test("the session prints what the page shows, except for values", async () => {
  const { shown, played } = await playPage("backup");
  assert.ok(shown.length > 5, "the page has no session");
  assert.deepEqual(shapeOf(played, true), shapeOf(shown, true));
});
