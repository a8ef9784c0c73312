import assert from "node:assert/strict";
import { test } from "node:test";
import { pollDelay } from "./poll-delay.ts";

const polls: readonly [pollMs: number, delays: readonly number[]][] = [
  [1000, [1000, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]],
  [100, [100, 500, 1000, 2000, 4000, 8000, 16_000, 30_000]],
  [60_000, [60_000, 60_000, 60_000]],
];

for (const [pollMs, delays] of polls) {
  test(`polls a silent device of a ${pollMs} ms interval less and less often`, () => {
    assert.deepEqual(
      delays.map((_, failures) => pollDelay(pollMs, failures)),
      delays,
    );
  });
}
