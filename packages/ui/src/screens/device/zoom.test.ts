import assert from "node:assert/strict";
import { test } from "node:test";
import { longest, panned, pinched, shortest, zoomed } from "./zoom.ts";

const hour = 3_600_000;
const latest = 1000 * hour;
const day = { from: 900 * hour, to: 924 * hour };

test("shows less time about a moment, which stays where it is", () => {
  assert.deepEqual(zoomed(day, 0.5, 0, latest), { from: 900 * hour, to: 912 * hour });
  assert.deepEqual(zoomed(day, 0.5, 1, latest), { from: 912 * hour, to: 924 * hour });
  assert.deepEqual(zoomed(day, 0.5, 0.25, latest), { from: 903 * hour, to: 915 * hour });
});

test("shows more time, but none that has yet to come, and none before all time", () => {
  assert.deepEqual(zoomed(day, 2, 0.5, latest), { from: 888 * hour, to: 936 * hour });
  const now = { from: 976 * hour, to: latest };
  assert.deepEqual(zoomed(now, 2, 0.5, latest), { from: 952 * hour, to: latest });
  assert.deepEqual(zoomed({ from: 0, to: hour }, 4, 0.5, 2 * hour), { from: 0, to: 2 * hour });
});

test("shows neither less than a minute nor more than a year", () => {
  const short = zoomed(day, 1e-9, 0.5, latest);
  assert.equal(short.to - short.from, shortest);
  const at = 40 * longest;
  const long = zoomed({ from: at - longest / 2, to: at }, 1e9, 0.5, at);
  assert.equal(long.to - long.from, longest);
});

test("moves to earlier and later, up to now", () => {
  assert.deepEqual(panned(day, -0.5, latest), { from: 888 * hour, to: 912 * hour });
  assert.deepEqual(panned(day, 0.5, latest), { from: 912 * hour, to: 936 * hour });
  assert.deepEqual(panned(day, 99, latest), { from: 976 * hour, to: latest });
  assert.deepEqual(panned(day, -99, latest), { from: 0, to: 24 * hour });
});

test("keeps the moments under two fingers, in whichever order these are", () => {
  const closer = { from: 906 * hour, to: 918 * hour };
  assert.deepEqual(pinched(day, [0.375, 0.625], [0.25, 0.75], latest), closer);
  assert.deepEqual(pinched(day, [0.625, 0.375], [0.25, 0.75], latest), closer);
  assert.deepEqual(pinched(day, [0.25, 0.75], [0.375, 0.625], latest), { from: 888 * hour, to: 936 * hour });
  assert.deepEqual(pinched(day, [0.2, 0.4], [0.4, 0.6], latest), panned(day, -0.2, latest));
  const { from, to } = pinched(day, [0.5, 0.5], [0.5, 0.5], latest);
  assert.deepEqual([from, to], [day.from, day.to]);
});
