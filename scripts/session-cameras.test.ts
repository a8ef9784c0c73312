// docs/cameras.md: a session with a simulated camera.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

test("the session with a camera prints what the page shows, including values", async () => {
  const { shown, played } = await playPage("cameras");
  assert.ok(shown.length > 10, "the page has no session");
  assert.deepEqual(shapeOf(played, false), shapeOf(shown, false));
});
