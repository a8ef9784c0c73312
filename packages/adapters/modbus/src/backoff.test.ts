import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pollDelay, reconnectDelay } from "./backoff.ts";

test("doubles the delay before a reconnect from 0.5 s up to 30 s", () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 7, 100].map((attempt) => reconnectDelay(attempt, 0.5));
  assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test("jitter varies the delay by up to a quarter", () => {
  fc.assert(
    fc.property(fc.nat({ max: 2000 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
      const middle = reconnectDelay(attempt, 0.5);
      const delay = reconnectDelay(attempt, chance);
      assert.ok(delay >= middle * 0.75 - 1 && delay <= middle * 1.25 + 1);
    }),
  );
});

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
