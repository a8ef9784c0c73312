import assert from "node:assert/strict";
import { test } from "node:test";
import type { UpgradeInfo } from "@ledge/model";
import {
  actionFor,
  hasNewer,
  installable,
  lookAfterAllMs,
  lookAfterMs,
  newVersionOf,
  versionOf,
} from "./firmware.ts";

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

const info = (id: string, status: UpgradeInfo["status"], message: string | null = null): UpgradeInfo =>
  ({ id, status, message }) as UpgradeInfo;

test("newer firmware is there from when it is found until the device runs it", () => {
  const all = cases.map(([status]) => ({ status }));
  assert.deepEqual(
    all.filter((one) => !hasNewer(one)).map(({ status }) => status),
    ["UNKNOWN", "UP_TO_DATE"],
  );
});

test("of several devices those take newer firmware that have it, or failed to", () => {
  const infos = [
    info("a", "AVAILABLE"),
    info("b", "UP_TO_DATE"),
    info("c", "FAILED"),
    info("d", "REFUSED"),
    info("e", "INSTALLING"),
    info("f", "AVAILABLE"),
  ];
  assert.deepEqual(installable(infos, ["d", "c", "b", "a", "e", "x"]), ["a", "c", "d"]);
});

test("several upgrades are followed as closely as the one that moves most, and not when all have ended", () => {
  const asleep = info("a", "REQUESTED", "it waits for the device to wake");
  assert.equal(lookAfterAllMs([info("b", "FAILED"), asleep]), 15_000);
  assert.equal(lookAfterAllMs([asleep, info("c", "INSTALLING")]), 1000);
  assert.equal(lookAfterAllMs([info("b", "FAILED"), info("d", "AVAILABLE")]), null);
});
