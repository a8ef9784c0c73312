import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "./limits.ts";

test("every limit is a whole number above 0", () => {
  for (const [name, value] of Object.entries(limits))
    assert.ok(Number.isSafeInteger(value) && value > 0, name);
});

/** What must hold between limits, beside what the file itself refuses to load without. */
const relations: readonly [string, boolean][] = [
  ["a silent adapter misses more than one ping", limits.adapterPingMs * 2 < limits.adapterSilenceMs],
  ["backoff grows", limits.adapterBackoffMinMs < limits.adapterBackoffMaxMs],
  ["a timer of the operating system holds 31 bits of ms", limits.osTimerMs < 2 ** 31],
  ["a body fits a commit", limits.bodyBytes < limits.commitBytes],
  [
    "a list of the longest names fits a body several times",
    limits.listItems * limits.nameChars * 4 < limits.bodyBytes,
  ],
  ["telemetry waits less than a person notices", limits.telemetryWindowMs <= limits.clockLeadMs],
  ["a list of a client fits a batch", limits.listItems <= limits.batchEvents],
  ["the commands of a cascade fit a batch", limits.cascadeCommands <= limits.batchEvents],
  ["a timer's grace is shorter than the time in which radios settle", limits.timerGraceMs < limits.settleMs],
  ["a slow adapter is not taken for a silent one", limits.commandTimeoutMs < limits.adapterSilenceMs],
  ["users who poll every 5 s are present", limits.presenceMs > 2 * 5000],
];
for (const [what, holds] of relations) test(what, () => assert.ok(holds));
