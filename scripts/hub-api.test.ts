import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rows } from "@ledge/api";
import { hubApiTypes } from "@ledge/cloud/hub-api";
import { hubApiText } from "./hub-api-text.ts";

const file = join(import.meta.dirname, "..", "packages/cloud/src/graph/hub-api.json");

test("Graph knows the hub API's rows as they are: else run scripts/hub-api.ts", () => {
  assert.ok(readFileSync(file, "utf8") === hubApiText(), "hub-api.json is not what the rows say");
});

test("a list in a message is a list at the hub, and no field has a name that Graph uses itself", () => {
  for (const { type, row: name, list } of hubApiTypes) {
    const row = rows.find(({ method, path }) => `${method} ${path}` === name) ?? assert.fail(name);
    assert.equal(list !== undefined, row.list === true, type);
    const body = list === undefined ? row.body : undefined;
    const names = [row.query, body].flatMap((schema) => Object.entries(propertiesOf(schema)));
    const taken = names.filter(
      ([field, schema]) => !("const" in (schema as object)) && /^(?:type|hubId)$/.test(field),
    );
    assert.deepEqual(taken, [], type);
  }
});

function propertiesOf(schema: object | undefined): object {
  const { properties = {} } = (schema ?? {}) as { properties?: object };
  return properties;
}
