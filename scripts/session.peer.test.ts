// docs/modbus.md: a session with a Modbus server, which pymodbus simulates; see peers.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

test("the session with Modbus prints what the page shows, including values", async () => {
  const { shown, played } = await playPage("modbus");
  assert.ok(shown.length > 10, "the page has no session");
  assert.deepEqual(shapeOf(played, false), shapeOf(shown, false));
});
