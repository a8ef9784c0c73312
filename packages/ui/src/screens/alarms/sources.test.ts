import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alarm } from "../../store/wire.ts";
import { bySource, closedLast, firstOf, severalOfKind } from "./sources.ts";

const alarm = (
  sourceId: string,
  kind: string,
  level: Alarm["level"],
  timestamp: number,
  closed = false,
): Alarm => ({
  id: `${kind}-${sourceId}`,
  sourceId,
  kind,
  title: {},
  name: "",
  message: {},
  level,
  count: 1,
  closed,
  timestamp,
  createdAtMs: 0,
});

const open = [
  alarm("bedroom", "TOO_COLD", "warn", 1),
  alarm("washer", "APPLIANCE_DONE", "info", 9),
  alarm("hall", "BATTERY_LOW", "warn", 8),
  alarm("hall", "SMOKE", "err", 2),
  alarm("kitchen", "TOO_COLD", "warn", 3),
];

const shown = (of: ReturnType<typeof bySource>): unknown =>
  of.map(({ sourceId, alarms }) => [sourceId, alarms.map(({ kind }) => kind)]);

test("puts alarms of a source together, what matters most first and the newest above", () => {
  assert.deepEqual(shown(bySource(open)), [
    ["hall", ["SMOKE", "BATTERY_LOW"]],
    ["kitchen", ["TOO_COLD"]],
    ["bedroom", ["TOO_COLD"]],
    ["washer", ["APPLIANCE_DONE"]],
  ]);
  assert.deepEqual(bySource([]), []);
});

test("names the kinds of which several are open", () => {
  const found = severalOfKind(open).map(({ kind, alarms }) => [kind, alarms.map(({ sourceId }) => sourceId)]);
  assert.deepEqual(found, [["TOO_COLD", ["kitchen", "bedroom"]]]);
  assert.deepEqual(severalOfKind([]), []);
});

test("cuts a long list within a source", () => {
  assert.deepEqual(shown(firstOf(bySource(open), 1)), [["hall", ["SMOKE"]]]);
  assert.deepEqual(shown(firstOf(bySource(open), 3)), [
    ["hall", ["SMOKE", "BATTERY_LOW"]],
    ["kitchen", ["TOO_COLD"]],
  ]);
  assert.deepEqual(shown(firstOf(bySource(open), 99)), shown(bySource(open)));
});

test("lists what is closed, the last first", () => {
  const closed = [alarm("attic", "LEAK", "err", 4, true), alarm("cellar", "LEAK", "err", 7, true)];
  assert.deepEqual(
    closedLast([...closed, ...open]).map(({ sourceId }) => sourceId),
    ["cellar", "attic"],
  );
});
