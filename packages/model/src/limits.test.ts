import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "./limits.ts";

test("every limit is a positive integer", () => {
  for (const [name, value] of Object.entries(limits))
    assert.ok(Number.isSafeInteger(value) && value > 0, name);
});

/** Relations between limits besides those that the file itself checks. */
const relations: readonly [string, boolean][] = [
  [
    "an adapter may miss one ping before it counts as silent",
    limits.adapterPingMs * 2 < limits.adapterSilenceMs,
  ],
  ["backoff grows", limits.adapterBackoffMinMs < limits.adapterBackoffMaxMs],
  ["an OS timer fits 31 bits of ms", limits.osTimerMs < 2 ** 31],
  ["a body fits a commit", limits.bodyBytes < limits.commitBytes],
  [
    "a list of the longest names fits a body several times",
    limits.listItems * limits.nameChars * 4 < limits.bodyBytes,
  ],
  ["a telemetry window is too short for a person to notice", limits.telemetryWindowMs <= limits.clockLeadMs],
  ["a client's list fits a batch", limits.listItems <= limits.batchEvents],
  ["the commands of a cascade fit a batch", limits.cascadeCommands <= limits.batchEvents],
  [
    "a timer's grace is shorter than the time that radios need to settle",
    limits.timerGraceMs < limits.settleMs,
  ],
  [
    "a command times out before its adapter counts as silent",
    limits.commandTimeoutMs < limits.adapterSilenceMs,
  ],
  ["users who poll every 5 s count as present", limits.presenceMs > 2 * 5000],
];
for (const [what, holds] of relations) test(what, () => assert.ok(holds));
