import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alarm } from "../../store/wire.ts";
import { byKind } from "./kinds.ts";

const alarm = (kind: string, level: Alarm["level"], createdAtMs: number): Alarm => ({
  id: `${kind}-${createdAtMs}`,
  sourceId: `${createdAtMs}`,
  kind,
  title: {},
  name: "",
  message: {},
  level,
  count: 1,
  closed: false,
  timestamp: 0,
  createdAtMs,
});

test("puts alarms of a kind together, what matters most first and the newest above", () => {
  const open = [
    alarm("TOO_COLD", "warn", 1),
    alarm("APPLIANCE_DONE", "info", 9),
    alarm("SMOKE", "err", 2),
    alarm("BATTERY_LOW", "warn", 4),
    alarm("TOO_COLD", "warn", 3),
  ];
  assert.deepEqual(
    byKind(open).map(({ kind, alarms }) => [kind, alarms.map(({ createdAtMs }) => createdAtMs)]),
    [
      ["SMOKE", [2]],
      ["BATTERY_LOW", [4]],
      ["TOO_COLD", [3, 1]],
      ["APPLIANCE_DONE", [9]],
    ],
  );
});

test("has no kinds without alarms", () => assert.deepEqual(byKind([]), []));
