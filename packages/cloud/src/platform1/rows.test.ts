import assert from "node:assert/strict";
import { test } from "node:test";
import { graphRows } from "../graph/rows.ts";
import { schemaOf } from "../graph/graph.ts";
import { rows1 } from "./rows.ts";

test("each endpoint is answered by a type of Graph that takes what the path and the query name", () => {
  for (const { method, path, type, query } of rows1) {
    const row = graphRows.find((each) => each.type === type) ?? assert.fail(`${path}: there is no ${type}`);
    assert.equal(method === "GET", row.kind === "query", `${method} ${path}`);
    const fields = schemaOf(row).properties;
    const named = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
    const asked = Array.isArray(query)
      ? (query as string[])
      : query === undefined
        ? []
        : ["pageSize", "next"];
    for (const name of [...named, ...asked]) assert.ok(name in fields, `${type} takes no ${name}`);
  }
});

test("each endpoint answers a field that its type has", () => {
  for (const { path, type, answer } of rows1) {
    const row = graphRows.find((each) => each.type === type);
    if (answer !== undefined) assert.ok(row && answer in row.result, `${path}: ${type} has no ${answer}`);
  }
});

test("no two endpoints have one method and path, whatever the case", () => {
  const named = rows1.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ":").toLowerCase()}`);
  assert.equal(new Set(named).size, named.length);
});
