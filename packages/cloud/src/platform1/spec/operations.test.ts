// Holds the operations of the specification (platform-api 4.4) against what is served, one line for each.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { orders } from "@ledge/fleet";
import { schemaOf } from "../../graph/graph.ts";
import { graphRows } from "../../graph/rows.ts";
import { rows1 } from "../rows.ts";
import { group, operations } from "./test-operations.ts";

const endpointOf = (endpoint: string): (typeof rows1)[number] | undefined =>
  rows1.find(({ method, path }) => `${method} ${path}` === endpoint);

test("each operation of the specification is served where the table says, and takes the fields that it names", () => {
  for (const [operation, endpoint, fields = []] of operations) {
    const row1 = endpointOf(endpoint) ?? assert.fail(`${operation}: there is no ${endpoint}`);
    const row = graphRows.find(({ type }) => type === row1.type) ?? assert.fail(row1.type);
    const taken = schemaOf(row).properties;
    for (const field of fields) assert.ok(field in taken, `${operation}: ${row1.type} takes no ${field}`);
  }
});

test("no endpoint is served that the table does not have", () => {
  // The id of a tenant, and a resource by its id, are paths, too.
  const byId = ["GET /Tenant/:tenantId", `GET ${group}/Providers/:resourceProvider/:resourceName`];
  const known = new Set([...operations.map(([, endpoint]) => endpoint), ...byId]);
  const more = rows1.map(({ method, path }) => `${method} ${path}`).filter((each) => !known.has(each));
  assert.deepEqual(more, []);
});

test("the limits are those of the specification", () => {
  const { pageSize, pageSizeMost, searchMinChars, searchMaxChars } = limits;
  assert.deepEqual([pageSize, pageSizeMost, searchMinChars, searchMaxChars], [50, 2000, 3, 100]);
  assert.deepEqual([limits.registerIdMinChars, limits.registerIdMaxChars], [3, 64]);
  assert.deepEqual([limits.resourceNameMinChars, limits.resourceNameMaxChars], [3, 50]);
  const { displayNameChars, tenantIdChars, siteEntityNameChars, templateIdChars, templateNameChars } = limits;
  assert.deepEqual([displayNameChars, tenantIdChars, siteEntityNameChars], [50, 50, 50]);
  assert.deepEqual([templateIdChars, templateNameChars, limits.deviceTextChars], [100, 100, 100]);
  assert.deepEqual([...orders].toSorted(), [
    "createdBy",
    "id",
    "modifiedBy",
    "name",
    "nativeId",
    "serialnumber",
    "type",
  ]);
});
