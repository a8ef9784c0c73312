import assert from "node:assert/strict";
import { test } from "node:test";
import { DailyBytes } from "./daily-bytes.ts";

const hour = 3_600_000;

test("measures the last day, and extrapolates from less", () => {
  const daily = new DailyBytes();
  assert.equal(daily.perDay(0, 0), 0);
  daily.note(0, 0);
  assert.deepEqual([daily.perDay(0, 0), daily.perDay(hour, 10), daily.perDay(12 * hour, 100)], [0, 240, 200]);
  for (let at = 1; at <= 48; at++) {
    daily.note(at * hour, Math.min(at, 24) * 10);
    daily.note(at * hour + 1, 9999);
  }
  assert.equal(daily.perDay(48 * hour, 240), 0, "earlier bytes no longer count");
  assert.equal(daily.perDay(48 * hour, 250), 10);
});
