import assert from "node:assert/strict";
import { test } from "node:test";
import type { TimePoint } from "@ledge/model";
import { kindOf, pointOf, withDay } from "./time-range.ts";

const clock: TimePoint = { type: "TIME_OF_DAY", value: 425 };
const sunset: TimePoint = { type: "SUN_EVENT", event: "SUNSET", offsetMs: -60_000, latest: 1320 };

test("a point keeps what it can when its kind changes", () => {
  assert.deepEqual([kindOf(clock), kindOf(sunset), kindOf(null)], ["clock", "SUNSET", "none"]);
  assert.deepEqual(pointOf("DUSK", sunset), { ...sunset, event: "DUSK" });
  assert.deepEqual(pointOf("clock", clock), clock);
  assert.deepEqual(pointOf("SUNRISE", clock), { type: "SUN_EVENT", event: "SUNRISE", offsetMs: 0 });
  assert.deepEqual(pointOf("clock", sunset), { type: "TIME_OF_DAY", value: 720 });
  assert.deepEqual(pointOf("clock", null), { type: "TIME_OF_DAY", value: 720 });
  assert.equal(pointOf("none", sunset), null);
});

test("no day chosen stands for every day, and so do all seven", () => {
  assert.deepEqual(withDay([], 3, true), [3]);
  assert.deepEqual(withDay([3, 5], 1, true), [1, 3, 5]);
  assert.deepEqual(withDay([3, 5], 5, false), [3]);
  assert.deepEqual(withDay([1, 2, 3, 4, 5, 6], 7, true), []);
});
