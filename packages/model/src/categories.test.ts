import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregates } from "./aggregates.ts";
import { categories } from "./categories.ts";

test("has the ten categories of hub-api 2.2, in order and with their own names", () => {
  const fields = "devices groups scenes rules users alerts rooms zones alarms activators";
  assert.equal(categories.map(({ field }) => field).join(" "), fields);
  assert.equal(new Set(categories.map(({ type }) => type)).size, 10);
  for (const { field, cursor } of categories) assert.equal(cursor, `${field.slice(0, -1)}Ts`);
});

test("no two aggregates fill the same category", () => {
  const filled = aggregates.flatMap(({ delta }) => (delta ? [delta.type] : []));
  assert.equal(new Set(filled).size, filled.length);
});
