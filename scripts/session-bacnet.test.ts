// docs/bacnet.md: a session with a simulated device and client of a building.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { play, shapeOf, stepsIn } from "./session.ts";

test("the session with BACnet prints what the page shows, including values", async () => {
  const page = readFileSync(join(import.meta.dirname, "..", "docs", "bacnet.md"), "utf8");
  const shown = stepsIn(page, "bacnet");
  assert.ok(shown.length > 10, "the page has no session");
  const played = await play(shown.map(({ command }) => command));
  assert.deepEqual(shapeOf(played, false), shapeOf(shown, false));
});
