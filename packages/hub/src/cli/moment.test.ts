import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMoment } from "./moment.ts";

const now = new Date(2026, 0, 15, 12, 30, 15, 500).getTime();
const local = (...parts: [number, number, number, number?, number?, number?]): number =>
  new Date(...parts).getTime();

for (const [text, expected] of [
  ["1768471200000", 1_768_471_200_000],
  ["now", now],
  ["2h ago", now - 7_200_000],
  ["-90min", now - 5_400_000],
  ["3 d ago", now - 259_200_000],
  ["1w", now - 604_800_000],
  ["18:05", local(2026, 0, 15, 18, 5)],
  ["today", local(2026, 0, 15)],
  ["yesterday 18:00:01", local(2026, 0, 14, 18, 0, 1)],
  ["2026-01-15T20:00", local(2026, 0, 15, 20)],
  ["2026-01-15T20:00Z", Date.UTC(2026, 0, 15, 20)],
  ["", undefined],
  ["24:00", undefined],
  ["12:60", undefined],
  ["tomorrow", undefined],
  ["2026-13-45", undefined],
  ["9".repeat(40), undefined],
  ["999999999w ago", undefined],
  ["then", undefined],
] as const)
  test(`parses "${text}" as ${expected ?? "no moment"}`, () =>
    assert.equal(parseMoment(text, now), expected));
