import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { atOnce, decidePrune, type PruneOrder, type RetentionFigures } from "./policy.ts";

const day = 86_400_000;
const now = 100 * day;
const bounds = { telemetryMs: 30 * day, logBytes: 1_000_000 };
const well: RetentionFigures = {
  now,
  clockTrusted: true,
  oldest: 60 * day,
  usedBytes: 400_000,
  sinceAgePruneMs: Infinity,
};
const until = Number.MAX_SAFE_INTEGER;
const age = { reason: "age", until: 70 * day, bytes: 20_000 } as const;

const cases: readonly (readonly [string, Partial<RetentionFigures>, PruneOrder | undefined])[] = [
  ["telemetry that is a step too old", { oldest: 70 * day - limits.ageStepMs }, age],
  ["no telemetry that is a ms less", { oldest: 70 * day - limits.ageStepMs + 1 }, undefined],
  ["nothing of an empty log", { oldest: undefined }, undefined],
  ["nothing by a clock that is not believed", { clockTrusted: false }, undefined],
  ["by age again after an hour", { sinceAgePruneMs: limits.agePruneMs }, age],
  ["by age not sooner", { sinceAgePruneMs: limits.agePruneMs - 1 }, undefined],
  [
    "a log over its quota by a byte, whatever the clock",
    { usedBytes: 1_000_001, clockTrusted: false },
    { reason: "quota", until, bytes: 100_001 },
  ],
  ["a log at its quota not for that", { usedBytes: 1_000_000, oldest: undefined }, undefined],
];
for (const [what, figures, order] of cases) {
  test(`retention prunes ${what}`, () =>
    assert.deepEqual(decidePrune({ ...well, ...figures }, bounds), order));
}

test("at once as much is pruned as is asked for, some percent of the log at least and what one compaction takes at most", () => {
  const bytes = (missing: number): number => atOnce("relief", missing, 400_000).bytes;
  assert.deepEqual([bytes(0), bytes(20_000), bytes(20_001)], [20_000, 20_000, 20_001]);
  const most = limits.compactionBytes;
  assert.deepEqual([bytes(most), bytes(most + 1)], [most, most]);
});

test("a quota that was exceeded is pruned down to a part of it", () => {
  const at = (usedBytes: number): string | undefined =>
    decidePrune({ ...well, oldest: undefined, usedBytes }, bounds, true)?.reason;
  const goal = (bounds.logBytes * limits.quotaPrunedPercent) / 100;
  assert.deepEqual([at(goal + 1), at(goal)], ["quota", undefined]);
});
