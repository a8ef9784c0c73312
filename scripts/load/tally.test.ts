import assert from "node:assert/strict";
import { test } from "node:test";
import { figureIn, latencyOf, slopePerHour, Tally } from "./tally.ts";

test("computes quantiles", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.deepEqual(latencyOf(hundred), { count: 100, p50: 50, p99: 99 });
  assert.deepEqual(latencyOf([7]), { count: 1, p50: 7, p99: 7 });
});

test("computes a slope per hour", () => {
  const growing = [0, 1, 2, 3].map((minute) => [minute * 60_000, 100 + minute] as const);
  assert.equal(Math.round(slopePerHour(growing)), 60);
  assert.deepEqual([slopePerHour([]), slopePerHour([[5, 1]])], [0, 0]);
});

test("reads figures by name and label", () => {
  const metrics = '# HELP a_total A\na_total{p="x"} 3\na_total{p="y"} 4\nb 0.5\na_totals 9\n';
  assert.deepEqual(
    [figureIn(metrics, "a_total"), figureIn(metrics, "a_total", 'p="y"'), figureIn(metrics, "b")],
    [7, 4, 0.5],
  );
});

test("counts exceptions as errors, and keeps the first messages", async () => {
  const tally = new Tally();
  await tally.take("poll", async () => 5);
  for (let number = 0; number < 20; number += 1) {
    await tally.take("poll", () => Promise.reject(new Error(`problem ${number}`)));
  }
  assert.deepEqual([tally.errors, tally.problems.length, tally.requests], [20, 10, 21]);
  assert.equal(tally.problems[0], "poll: problem 0");
  assert.deepEqual(tally.latencies(), { poll: { count: 1, p50: 5, p99: 5 } });
});
