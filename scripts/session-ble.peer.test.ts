// docs/ble.md: a session with mosquitto, which stands for a broker and a gateway.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

test("the session with a Bluetooth sensor prints what the page shows, including values", async () => {
  const { shown, played } = await playPage("ble");
  assert.ok(shown.length > 10, "the page has no session");
  assert.deepEqual(shapeOf(played, false), shapeOf(shown, false));
});
