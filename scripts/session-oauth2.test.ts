// docs/oauth2.md: the operator makes a client, and the client gets an access token with curl.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { play, shapeOf, stepsIn } from "./session.ts";

test("the session prints what the page shows, except for values", async () => {
  const page = readFileSync(join(import.meta.dirname, "..", "docs", "oauth2.md"), "utf8");
  const shown = stepsIn(page, "oauth2");
  assert.ok(shown.length > 10, "the page has no session");
  const played = await play(shown.map(({ command }) => command));
  assert.deepEqual(shapeOf(played, true), shapeOf(shown, true));
});
