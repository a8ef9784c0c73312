import assert from "node:assert/strict";
import { test } from "node:test";
import { tryHubs } from "./trial.ts";

test("all hubs are back after their cloud was killed, and the cloud has stored what they report", async () => {
  const found = await tryHubs({
    hubs: 100,
    devices: 3,
    partMs: 1000,
    reportsPerSecond: 50,
    tell: () => {},
  });
  const { connections, reports, storm } = found;
  assert.ok(connections > 0 && reports.said.published > 0, JSON.stringify(found));
  assert.equal(storm.away, 0, JSON.stringify(found));
  assert.ok(reports.count > 0 && reports.p99Ms > 0, JSON.stringify(found));
  assert.ok(storm.halfS <= storm.mostS && storm.mostS <= storm.allS, JSON.stringify(storm));
});
