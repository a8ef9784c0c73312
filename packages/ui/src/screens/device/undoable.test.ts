import assert from "node:assert/strict";
import { test } from "node:test";
import { undoableKind } from "./undoable.ts";

test("takes back the last change of names and rooms, and that of settings", () => {
  const entry = (ref: string, type: string) => ({ ref, type });
  const newest = [
    entry("5", "DeviceRemoved"),
    entry("4", "DeviceMoved"),
    entry("3", "ConfigurationRequested"),
    entry("2", "DeviceRenamed"),
    entry("1", "ConfigurationRequested"),
  ];
  const kinds = newest.map((each) => undoableKind(each, newest));
  assert.deepEqual(kinds, [undefined, "device", "configuration", undefined, undefined]);
});
