import assert from "node:assert/strict";
import { test } from "node:test";
import { Compile } from "typebox/compile";
import { graphDocument } from "./document.ts";
import { graphRows } from "./rows.ts";

const document = graphDocument(graphRows);
const text = JSON.stringify(document);
const { schemas } = document["components"] as { schemas: Record<string, object> };

test("describes each type and its result, and refers to nothing else", () => {
  const described = graphRows.flatMap(({ type }) => [type, `${type}Result`]);
  assert.deepEqual(Object.keys(schemas).toSorted(), ["GraphError", "Problem", ...described].toSorted());
  const referred = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? "");
  for (const name of referred) assert.ok(name in schemas, name);
});

test("says of each type its fields, and of its result that it may be an error", () => {
  for (const { type } of graphRows) {
    const message = Compile(JSON.parse(JSON.stringify(schemas[type])) as object);
    assert.equal(message.Check({ type: "another" }), false, type);
    assert.ok(JSON.stringify(schemas[`${type}Result`]).includes("GraphError"), type);
  }
});

test("no two rows have one type", () => {
  assert.equal(new Set(graphRows.map(({ type }) => type)).size, graphRows.length);
});
