import assert from "node:assert/strict";
import { test } from "node:test";
import { zoneOf } from "@ledge/rules";
import { type Bucket, boundsOf } from "./calendar.ts";

function bounds(zone: string, bucket: Bucket, from: string, to: string): string[] {
  return boundsOf(zoneOf(zone), bucket, Date.parse(from), Date.parse(to), 100).map((at) =>
    new Date(at).toISOString().slice(0, 16),
  );
}

const hours = (of: readonly string[]): number[] =>
  of.slice(1).map((at, index) => (Date.parse(`${at}Z`) - Date.parse(`${of[index]}Z`)) / 3_600_000);

test("days begin at midnight of the zone; those of a change of the clocks have 23 and 25 hours", () => {
  const spring = bounds("Europe/Helsinki", "day", "2026-03-28T12:00Z", "2026-03-30T12:00Z");
  assert.deepEqual(spring, ["2026-03-27T22:00", "2026-03-28T22:00", "2026-03-29T21:00", "2026-03-30T21:00"]);
  assert.deepEqual(hours(spring), [24, 23, 24]);
  assert.deepEqual(
    hours(bounds("Europe/Helsinki", "day", "2026-10-24T12:00Z", "2026-10-26T12:00Z")),
    [24, 25, 24],
  );
});

test("a day whose midnight is skipped begins an hour later", () => {
  const days = bounds("Africa/Cairo", "day", "2026-04-23T12:00Z", "2026-04-24T12:00Z");
  assert.deepEqual(days, ["2026-04-22T22:00", "2026-04-23T22:00", "2026-04-24T21:00"]);
});

test("months begin on the first, over the end of the year", () => {
  assert.deepEqual(bounds("Europe/Helsinki", "month", "2026-11-30T23:00Z", "2027-01-02T00:00Z"), [
    "2026-11-30T22:00",
    "2026-12-31T22:00",
    "2027-01-31T22:00",
  ]);
});

test("hours follow the zone, also by half an hour", () => {
  assert.deepEqual(bounds("Asia/Kolkata", "hour", "2026-01-01T00:10Z", "2026-01-01T01:00Z"), [
    "2025-12-31T23:30",
    "2026-01-01T00:30",
    "2026-01-01T01:30",
  ]);
  // The hour that comes twice is two hours.
  const twice = bounds("Europe/Helsinki", "hour", "2026-10-25T00:00Z", "2026-10-25T02:00Z");
  assert.deepEqual(hours(twice), [1, 1, 1]);
  const half = bounds("Australia/Lord_Howe", "hour", "2026-04-04T14:00Z", "2026-04-04T16:00Z");
  assert.equal(hours(half).reduce((sum, length) => sum + length, 0) % 0.5, 0);
  assert.ok(hours(half).every((length) => length > 0 && length <= 1.5));
});

test("stops when there are more than wanted", () => {
  const many = boundsOf(zoneOf("UTC"), "hour", 0, Date.UTC(2026), 10);
  assert.equal(many.length, 12);
});
