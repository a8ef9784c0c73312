// docs/backup.md: makes a backup and restores it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { play, shapeOf, stepsIn } from "./session.ts";

test("the session prints what the page shows, except for values", async () => {
  const page = readFileSync(join(import.meta.dirname, "..", "docs", "backup.md"), "utf8");
  const shown = stepsIn(page, "backup");
  assert.ok(shown.length > 5, "the page has no session");
  const played = await play(shown.map(({ command }) => command));
  assert.deepEqual(shapeOf(played, true), shapeOf(shown, true));
});
