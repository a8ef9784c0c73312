// docs/oauth2.md: the operator makes a client, and the client gets an access token with curl.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

test("the session prints what the page shows, except for values", async () => {
  const { shown, played } = await playPage("oauth2");
  assert.ok(shown.length > 10, "the page has no session");
  assert.deepEqual(shapeOf(played, true), shapeOf(shown, true));
});
