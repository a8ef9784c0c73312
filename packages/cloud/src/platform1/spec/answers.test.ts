// Holds what the specification says (platform-api 2.4, 8) against what one cloud answers over HTTP.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { checkField, checkRead } from "./test-field.ts";
import { checkLimit, checkUsualWait, limitRows, lists } from "./test-limits.ts";
import { resources } from "./test-resources.ts";
import { World } from "./test-world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.served.stop());

for (const [name, resource] of Object.entries(resources)) {
  describe(name, () => {
    if (resource.fields.length > 0)
      test("is read with the fields of the specification", () => checkRead(world, resource));
    for (const field of Object.keys(resource.written))
      test(`takes what ${field} may be, and nothing else`, () => checkField(world, resource, field));
  });
}

describe("a limit", () => {
  for (const [name, limit] of Object.entries(limitRows)) test(name, () => checkLimit(world, limit));

  test("a fetch of pushes that names no wait ends after 25 s", () => checkUsualWait(world, 25));

  test("the lists that the specification pages have one of their page size", () => {
    const paths = new Set(lists.map(({ path }) => path.split("/").at(-1)));
    for (const name of ["Tenants", "Devices", "Entities", "EgressTargets"]) assert.ok(paths.has(name), name);
  });
});
