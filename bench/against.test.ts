import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, comparison, least, slower } from "./against.ts";
import { type Figure, jsonLine } from "./figure.ts";

const figure = (name: string, value: number, unit = "us"): Figure => {
  return { name, value, unit, limit: null, gated: false, how: "" };
};

test("the least of all rounds counts, of times alone", () => {
  const times = new Map<string, number>();
  for (const value of [12, 10, 11]) {
    const lines = [figure("poll", value), figure("memory", value, "MB"), figure("ratio", value, "x")];
    least(times, `a warning\n${lines.map(jsonLine).join("\n")}\n`);
  }
  assert.deepEqual([...times], [["poll", 10]]);
});

test("what takes longer than before by more than the limit is worse; what only one has is not compared", () => {
  const base = new Map([
    ["same", 100],
    ["slow", 100],
    ["gone", 100],
    ["zero", 0],
  ]);
  const head = new Map([
    ["same", 100 * slower],
    ["slow", 100 * slower + 1],
    ["new", 5],
    ["zero", 1],
  ]);
  const found = compare(head, base);
  assert.deepEqual(
    found.map(({ name, isWorse }) => [name, isWorse]),
    [
      ["same", false],
      ["slow", true],
    ],
  );
  assert.match(comparison(found), /1\.25 x {2}same\n +1\.26 x {2}slow {2}WORSE$/);
  assert.equal(compare(new Map([["broken", NaN]]), new Map([["broken", 1]]))[0]?.isWorse, true);
});
