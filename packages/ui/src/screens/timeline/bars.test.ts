import assert from "node:assert/strict";
import { test } from "node:test";
import { barsOf, barsView } from "./bars.ts";

const count = (events: number, alarms = 0): { at: number; events: number; alarms: number } => ({
  at: 0,
  events,
  alarms,
});

test("draws a bar for each slice in which something happened", () => {
  assert.equal(barsOf([count(100), count(0), count(25)], "events"), "M0.5 40v-40M2.5 40v-20");
});

test("draws a quiet slice high enough to be seen", () => {
  assert.equal(barsOf([count(10_000), count(1)], "events"), "M0.5 40v-40M1.5 40v-2");
});

test("marks slices with alarms over the whole height, and draws nothing of nothing", () => {
  assert.equal(barsOf([count(5, 1), count(9)], "alarms"), "M0.5 40v-40");
  assert.equal(barsOf([], "events"), "");
});

test("shows the slices from the time on from which the hub knows the past", () => {
  const window = { from: 1000, until: 2000 };
  assert.equal(barsView(window, 1000, 120), "0 0 120 40");
  assert.equal(barsView(window, 1750, 120), "90 0 30 40");
});
