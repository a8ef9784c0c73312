import assert from "node:assert/strict";
import { test } from "node:test";
import { fails, type Figure, isWithin, jsonLine, table } from "./figure.ts";

const figure: Figure = {
  name: "poll",
  value: 12.3456,
  unit: "x",
  limit: "<= 12",
  gated: true,
  how: "measured",
};

const limits: readonly [value: number, limit: Figure["limit"], within: boolean][] = [
  [12, "<= 12", true],
  [12.01, "<= 12", false],
  [0.7, ">= 0.7", true],
  [0.69, ">= 0.7", false],
  [1e9, null, true],
  [NaN, "<= 12", false],
];

for (const [value, limit, within] of limits) {
  test(`${value} ${within ? "keeps" : "misses"} ${limit}`, () =>
    assert.equal(isWithin({ value, limit }), within));
}

test("only what is gated fails", () => {
  assert.equal(fails(figure), true);
  assert.equal(fails({ ...figure, gated: false }), false);
  assert.equal(fails({ ...figure, value: 1 }), false);
});

test("a line of JSON has the figure, its limit and whether it is kept", () => {
  const expected = {
    name: "poll",
    value: 12.3,
    unit: "x",
    limit: "<= 12",
    ok: false,
    gated: true,
    how: "measured",
  };
  assert.deepEqual(JSON.parse(jsonLine(figure)), expected);
});

test("a table has a line per figure and marks what is missed", () => {
  const lines = table([figure, { ...figure, name: "commit", value: 1, limit: null }]).split("\n");
  assert.deepEqual(lines, ["poll    12.3  x  <= 12  MISSED", "commit     1  x"]);
});
