import assert from "node:assert/strict";
import { test } from "node:test";
import { windowOf } from "./window.ts";

const windows: readonly [title: string, count: number, top: number, from: number, to: number][] = [
  ["the first rows at the top", 1000, 0, 0, 16],
  ["rows before and after the sight", 1000, 5000, 94, 116],
  ["the last rows at the end", 1000, 49_500, 984, 1000],
  ["all of a short list", 5, 0, 0, 5],
  ["nothing of an empty list", 0, 0, 0, 0],
  ["no row outside of a list that became shorter", 10, 50_000, 10, 10],
  ["the first rows while the list begins below the sight", 1000, -400, 0, 8],
];
for (const [title, count, top, from, to] of windows) {
  test(`draws ${title}`, () => assert.deepEqual(windowOf(count, 50, { top, height: 500 }), { from, to }));
}
