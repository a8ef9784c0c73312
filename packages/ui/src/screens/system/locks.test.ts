import assert from "node:assert/strict";
import { test } from "node:test";
import { byLock } from "./locks.ts";

test("tells devices that nobody may configure from others", () => {
  const devices = [
    { id: "a", rwx: 0o775 },
    { id: "b", rwx: 0o555 },
    { id: "of the owner", rwx: 0o755 },
  ];
  assert.deepEqual(byLock(devices), { locked: ["b"], open: ["a", "of the owner"] });
  assert.deepEqual(byLock([]), { locked: [], open: [] });
});
