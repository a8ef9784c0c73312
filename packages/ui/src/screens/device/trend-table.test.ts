import assert from "node:assert/strict";
import { test } from "node:test";
import { trendTable } from "./trend-table.ts";

const head = { from: "From", to: "To", value: "Air", least: "least", mean: "mean", greatest: "greatest" };
const stampOf = (ms: number): string => `at ${ms}`;
const level = (from: number, to: number, value: number) => ({
  from,
  to,
  min: value,
  max: value,
  mean: value,
});

test("writes a line for each value that the drawing shows, in the unit of the reader", () => {
  const stretches = [level(0, 10, 101_300), level(10, 20, 101_325), level(20, 30, 101_400)];
  const text = trendTable(stretches, { from: 10, to: 25 }, { unit: "hPa", factor: 0.01 }, head, stampOf);
  assert.equal(text, "From,To,Air (hPa)\r\nat 10,at 20,1013.25\r\nat 20,at 30,1014\r\n");
});

test("writes least, mean and greatest values where a point stands for several", () => {
  const stretches = [{ from: 0, to: 10, min: 1, max: 3, mean: 2.1 }, level(10, 20, 4)];
  const text = trendTable(stretches, { from: 0, to: 20 }, { unit: "", factor: 1 }, head, stampOf);
  const expected = [
    'From,To,"Air, least","Air, mean","Air, greatest"',
    "at 0,at 10,1,2.1,3",
    "at 10,at 20,4,4,4",
    "",
  ];
  assert.equal(text, expected.join("\r\n"));
});
