import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { boardColumns, type BoardFigures, boardPage } from "./board.ts";

const figures: BoardFigures = {
  machine: "Some Board | Model 4",
  processor: "Cortex-A72",
  cores: 4,
  memoryMebibytes: 1024,
  system: "Debian 13, Linux 6.12, arm64",
  node: "v24.0.0",
  ledge: "0.2.0",
  startMs: 4321,
  startWithDevicesMs: 5000,
  memoryMegabytes: 61.4,
  idlePollUs: 123.456,
  pollUs: 150,
  flushMs: 4.5678,
  appendMs: 5,
  appendP99Ms: 12.34,
};

const table = (text: string): string[][] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()));

test("the page has one line of the table, in which no name can break a cell", () => {
  const [head, , row, ...more] = table(boardPage(figures));
  assert.deepEqual(head?.slice(1, -1), boardColumns);
  assert.deepEqual(row?.slice(1, -1), [
    "Some Board / Model 4",
    "0.2.0",
    "4.32",
    "5",
    "61",
    "123",
    "150",
    "4.57",
    "5, 12.3",
  ]);
  assert.equal(more.length, 0);
});

test("docs/boards.md has the table, and lines without figures are empty", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "docs", "boards.md"), "utf8");
  const rows = table(page);
  const at = rows.findIndex((row) => row[2] === "Ledge");
  assert.deepEqual(rows[at]?.slice(1, -1), boardColumns);
  const lines = rows.slice(at + 2).filter((row) => row.length === boardColumns.length + 2);
  assert.ok(lines.length > 5);
  for (const [, name, ...cells] of lines) {
    const filled = cells.slice(0, -1).filter((cell) => cell !== "").length;
    assert.ok(filled === 0 || filled === boardColumns.length - 1, `${name}: some figures are missing`);
  }
});
