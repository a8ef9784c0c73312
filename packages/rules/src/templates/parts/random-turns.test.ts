import assert from "node:assert/strict";
import { test } from "node:test";
import { turnAt } from "./random-turns.ts";

const begin = 1_768_485_600_000;
const [least, most] = [900_000, 5_400_000];

/** Returns the first turns of a seed: off or on, and their lengths (ms). */
function turns(seed: string, count: number): { isOn: boolean; ms: number }[] {
  let now = begin;
  return Array.from({ length: count }, () => {
    const { isOn, until } = turnAt(seed, begin, least, most, now);
    const ms = until - now;
    assert.deepEqual(
      turnAt(seed, begin, least, most, until - 1),
      { isOn, until },
      "the same turn until its end",
    );
    now = until;
    return { isOn, ms };
  });
}

test("turnAt alternates off and on, each within its limits", () => {
  const found = turns("rule 2026-01-15 lamp", 200);
  for (const [index, { isOn, ms }] of found.entries()) {
    assert.equal(isOn, index % 2 === 1);
    assert.ok(ms >= least && ms <= most, `${ms} ms`);
  }
  const spread = found.map(({ ms }) => ms).toSorted((a, b) => a - b);
  assert.ok((spread[20] ?? 0) < least + (most - least) * 0.25, "some are short");
  assert.ok((spread[180] ?? 0) > least + (most - least) * 0.75, "and some are long");
});

test("turnAt gives each seed its own turns, always the same", () => {
  assert.deepEqual(turns("rule 2026-01-15 lamp", 10), turns("rule 2026-01-15 lamp", 10));
  for (const other of ["rule 2026-01-16 lamp", "rule 2026-01-15 lamq", "other 2026-01-15 lamp"]) {
    assert.notDeepEqual(turns("rule 2026-01-15 lamp", 10), turns(other, 10));
  }
  // Fixed values: another release must play the same evening.
  assert.deepEqual(
    turns("rule 2026-01-15 lamp", 3).map(({ ms }) => ms),
    [4_428_698, 1_659_636, 1_290_695],
  );
});

test("turnAt allows turns of a fixed length", () => {
  for (const [now, isOn, until] of [
    [0, false, 60],
    [59, false, 60],
    [60, true, 120],
    [120, false, 180],
  ] as const)
    assert.deepEqual(turnAt("any", begin, 60, 60, begin + now), { isOn, until: begin + until });
});
