import assert from "node:assert/strict";
import { test } from "node:test";
import type { History } from "../../api/rows.ts";
import { drawn, stretchesOf, summaryOfAll } from "./trend.ts";

const span = { from: 0, to: 100, before: null };
const flat = (from: number, to: number, value: number): object => ({
  from,
  to,
  min: value,
  max: value,
  mean: value,
});

const histories: readonly [title: string, history: History, stretches: readonly object[]][] = [
  [
    "samples hold until the next",
    {
      ...span,
      form: "samples",
      points: [
        { timestamp: 10, value: 20 },
        { timestamp: 40, value: 21 },
      ],
    },
    [flat(10, 40, 20), flat(40, 100, 21)],
  ],
  [
    "what held before reaches to the first point",
    { ...span, before: { value: true }, form: "changes", points: [{ from: 60, value: false, ms: 40 }] },
    [flat(0, 60, 1), flat(60, 100, 0)],
  ],
  [
    "what held before and has not changed fills the time",
    { ...span, before: { value: 5 }, form: "samples", points: [] },
    [flat(0, 100, 5)],
  ],
  [
    "buckets have a band",
    { ...span, form: "buckets", points: [{ from: 0, min: 1, max: 4, avg: 2, first: 1, last: 4, count: 9 }] },
    [{ from: 0, to: 100, min: 1, max: 4, mean: 2 }],
  ],
  [
    "shares are those of yes",
    {
      ...span,
      form: "shares",
      points: [
        {
          from: 0,
          values: [
            { value: true, ms: 25 },
            { value: false, ms: 75 },
          ],
          count: 2,
        },
      ],
    },
    [flat(0, 100, 0.25)],
  ],
  [
    "words, nothing and empty shares are no numbers",
    { ...span, before: { value: null }, form: "samples", points: [{ timestamp: 5, value: "idle" }] },
    [],
  ],
  ["a device that has reported nothing has no stretches", { ...span, form: "samples", points: [] }, []],
];
for (const [title, history, stretches] of histories) {
  test(title, () => assert.deepEqual(stretchesOf(history), stretches));
}

test("weighs the mean by time", () => {
  const stretches = stretchesOf({
    ...span,
    form: "samples",
    points: [
      { timestamp: 0, value: 0 },
      { timestamp: 75, value: 8 },
    ],
  });
  assert.deepEqual(summaryOfAll(stretches), { min: 0, max: 8, mean: 2 });
  assert.equal(summaryOfAll([]), undefined);
});

test("draws within its box, the greatest value at the top", () => {
  const stretches = stretchesOf({
    ...span,
    form: "samples",
    points: [
      { timestamp: 0, value: 10 },
      { timestamp: 50, value: 30 },
    ],
  });
  const { line, band } = drawn(stretches, span, { width: 200, height: 100 });
  assert.equal(line, "M0.0 100.0L100.0 100.0L100.0 0.0L200.0 0.0");
  assert.match(band, /^M.*Z$/);
});

test("draws a constant value, and nothing of nothing", () => {
  const constant = stretchesOf({ ...span, before: { value: 7 }, form: "samples", points: [] });
  assert.doesNotMatch(drawn(constant, span, { width: 9, height: 9 }).line, /NaN|Infinity/);
  assert.deepEqual(drawn([], span, { width: 9, height: 9 }), { line: "", band: "" });
});
