import assert from "node:assert/strict";
import { test } from "node:test";
import type { UpgradeInfo } from "@ledge/model";
import { actionFor, lookAfterMs, newVersionOf, versionOf } from "./firmware.ts";

const cases: readonly [
  status: UpgradeInfo["status"],
  message: string | null,
  action: string | null,
  lookMs: number | null,
][] = [
  ["UNKNOWN", null, null, null],
  ["UP_TO_DATE", null, null, null],
  ["AVAILABLE", null, "install", null],
  ["REQUESTED", null, "cancel", 1000],
  ["REQUESTED", "it waits for the device to wake", "cancel", 15_000],
  ["INSTALLING", null, null, 1000],
  ["FAILED", "the image is damaged", "again", null],
  ["REFUSED", "the battery is too low", "again", null],
];
for (const [status, message, action, lookMs] of cases) {
  test(`an upgrade that is ${status}${message === null ? "" : ` (${message})`} offers ${action ?? "nothing"}`, () => {
    assert.deepEqual([actionFor({ status }), lookAfterMs({ status, message })], [action, lookMs]);
  });
}

test("a version names firmware and software, as far as they are known", () => {
  const none = { fwVersion: null, swVersion: null, newFwVersion: null, newSwVersion: null };
  assert.deepEqual([versionOf(none), newVersionOf(none)], [null, null]);
  const both = { fwVersion: "1.0.4", swVersion: "7", newFwVersion: "", newSwVersion: "8" };
  assert.deepEqual([versionOf(both), newVersionOf(both)], ["1.0.4, 7", "8"]);
});
