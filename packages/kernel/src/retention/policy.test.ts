import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { type AgeOrder, decideAge, isFruit, overQuota, type RetentionFigures, worthIt } from "./policy.ts";

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
const age = { until: 70 * day, bytes: 20_000 } as const;

const cases: readonly (readonly [string, Partial<RetentionFigures>, AgeOrder | undefined])[] = [
  ["telemetry that is a full step too old", { oldest: 70 * day - limits.ageStepMs }, age],
  ["no telemetry that is a millisecond younger", { oldest: 70 * day - limits.ageStepMs + 1 }, undefined],
  ["nothing of an empty log", { oldest: undefined }, undefined],
  ["nothing while the clock is untrusted", { clockTrusted: false }, undefined],
  ["again after an hour", { sinceAgePruneMs: limits.agePruneMs }, age],
  ["not sooner", { sinceAgePruneMs: limits.agePruneMs - 1 }, undefined],
];
for (const [what, figures, order] of cases) {
  test(`age prunes ${what}`, () => assert.deepEqual(decideAge({ ...well, ...figures }, bounds), order));
}

test("looks for the missing bytes, within a percentage of the log and the size of a compaction", () => {
  const bytes = (missing: number): number => worthIt(missing, 400_000);
  assert.deepEqual([bytes(0), bytes(20_000), bytes(20_001)], [20_000, 20_000, 20_001]);
  const most = limits.compactionBytes;
  assert.deepEqual([bytes(most), bytes(most + 1)], [most, most]);
});

test("prunes an exceeded quota down to a part of it", () => {
  const goal = (bounds.logBytes * limits.quotaPrunedPercent) / 100;
  const missing = (usedBytes: number, isPruning: boolean): number => overQuota(usedBytes, bounds, isPruning);
  assert.deepEqual([missing(bounds.logBytes, false), missing(bounds.logBytes + 1, false)], [0, 100_001]);
  assert.deepEqual([missing(goal, true), missing(goal + 1, true)], [0, goal / 20]);
});

test("a compaction pays off when it frees a percentage of the log, or enough bytes", () => {
  const least = (limits.fruitBytes * 100) / limits.agePrunePercent;
  const found = [0, 49, 50].map((freed) => isFruit(freed, 1000));
  assert.deepEqual(found, [false, false, true]);
  assert.deepEqual(
    [isFruit(0, 0), isFruit(limits.fruitBytes - 1, least * 10), isFruit(limits.fruitBytes, least * 10)],
    [false, false, true],
  );
});
