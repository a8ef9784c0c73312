import assert from "node:assert/strict";
import { test } from "node:test";
import { cronProblem } from "./schedule.ts";

for (const text of [
  "0 15 * * 1",
  "* * * * *",
  "0,30 6-22/2 1-31 1,6,12 0-6",
  "*/5 0-23 * * *",
  " 0  7 * * 0 ",
  "59 23 29 2 *",
  "0 0 31 2 1",
]) {
  test(`${text} is a time`, () => assert.equal(cronProblem(text), undefined));
}

for (const [text, problem] of [
  ["", /five fields/],
  ["0 15 * *", /five fields/],
  ["0 15 * * 1 2026", /five fields/],
  ["60 15 * * 1", /^60 is no minute: 0 to 59$/],
  ["0 24 * * 1", /hour/],
  ["0 0 0 * *", /day of the month/],
  ["0 0 32 * *", /day of the month/],
  ["0 0 * 13 *", /month/],
  ["0 0 * * 7", /day of the week/],
  ["0 0 * * MON", /day of the week/],
  ["5-1 0 * * *", /minute/],
  ["*/0 0 * * *", /minute/],
  ["5/10 0 * * *", /minute/],
  ["1, 0 * * *", /minute/],
  ["-1 0 * * *", /minute/],
  ["0 0 30 2 *", /never comes/],
  ["0 0 31 4,6 *", /never comes/],
] as const) {
  test(`"${text}" is none`, () => assert.match(cronProblem(text) ?? "", problem));
}
