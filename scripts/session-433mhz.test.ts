// docs/433mhz.md: a session with a simulated gateway.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

test("the session with 433 MHz prints what the page shows, including values", async () => {
  const { shown, played } = await playPage("433mhz");
  assert.ok(shown.length > 10, "the page has no session");
  assert.deepEqual(shapeOf(played, false), shapeOf(shown, false));
});
