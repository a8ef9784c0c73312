// docs/mbus.md: a session with simulated meters behind a gateway.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

test("the session with M-Bus prints what the page shows, including values", async () => {
  const { shown, played } = await playPage("mbus");
  assert.ok(shown.length > 10, "the page has no session");
  assert.deepEqual(shapeOf(played, false), shapeOf(shown, false));
});
