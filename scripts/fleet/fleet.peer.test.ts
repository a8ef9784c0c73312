import assert from "node:assert/strict";
import { test } from "node:test";
import { prove } from "./proof.ts";

test("nothing acknowledged is lost when the writer is killed under load, and the control is caught", async () => {
  const { kills, acknowledged, lost, takeoverMs, controlCaught } = await prove({
    kills: 1,
    writers: 3,
    tell: () => {},
  });
  assert.deepEqual([kills, takeoverMs.length, lost, controlCaught], [1, 1, 0, true]);
  assert.ok(acknowledged >= 3, `${acknowledged}`);
});
