// docs/media.md: a session with a simulated renderer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

test("the session with a media renderer prints what the page shows, including values", async () => {
  const { shown, played } = await playPage("media");
  assert.ok(shown.length > 10, "the page has no session");
  assert.deepEqual(shapeOf(played, false), shapeOf(shown, false));
});
