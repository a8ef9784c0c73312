import assert from "node:assert/strict";
import { test } from "node:test";
import { decidedAccess } from "./access.ts";
import { rows } from "./routes/index.ts";
import { type Row, rowName } from "./row.ts";
import { additiveRows, openRows, type SpecRow, specRows } from "./spec-rows.ts";

/** Rows of the spec that are not served yet, in its order. This list only shrinks. */
const missing: readonly string[] = [];

/** The facts of a row, keys without a value left out so that both kinds of rows compare. */
function facts({ method, path, access, remote, feature, since, unversioned }: SpecRow | Row): object {
  return JSON.parse(JSON.stringify({ method, path, access, remote, feature, since, unversioned })) as object;
}

test("serves the spec's rows except the missing ones, then the additive rows, in order", () => {
  const expected = [...specRows.filter((row) => !missing.includes(rowName(row))), ...additiveRows];
  assert.deepEqual(rows.map(facts), expected.map(facts));
});

test("lists missing rows in the spec's order", () => {
  const inSpec = specRows.map((row) => rowName(row));
  assert.deepEqual(
    missing,
    inSpec.filter((name) => missing.includes(name)),
  );
});

test("lists no row twice", () => {
  const names = [...specRows, ...additiveRows].map((row) => rowName(row));
  assert.equal(new Set(names).size, names.length);
});

test("decides the access of exactly the rows that the spec leaves open", () => {
  assert.deepEqual(Object.keys(decidedAccess).toSorted(), openRows.toSorted());
});

test("has as many rows as the spec's tables", () => {
  assert.deepEqual([specRows.length, openRows.length], [84, 10]);
});
