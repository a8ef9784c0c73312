// docs/mqtt.md: a session with mosquitto, which stands for the broker of a home.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

test("the session with MQTT prints what the page shows, including values", async () => {
  const { shown, played } = await playPage("mqtt");
  assert.ok(shown.length > 10, "the page has no session");
  assert.deepEqual(shapeOf(played, false), shapeOf(shown, false));
});
