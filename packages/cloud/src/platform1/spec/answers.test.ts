// Holds what the specification says (platform-api 2.4, 4.4, 8) against what one cloud answers over HTTP.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { deviceList } from "./test-device-list.ts";
import { checkField, checkRead } from "./test-field.ts";
import { checkLimit, checkUsualWait, limitRows, lists } from "./test-limits.ts";
import { operations, rules } from "./test-operations.ts";
import { registers } from "./test-registers.ts";
import { resources } from "./test-resources.ts";
import { sites } from "./test-sites.ts";
import { take } from "./test-steps.ts";
import { resourceGroups, resourcesIn, subscriptions, tenants } from "./test-tenancy.ts";
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

const chapters = Object.entries({
  tenants,
  subscriptions,
  resourceGroups,
  resourcesIn,
  registers,
  sites,
  deviceList,
});
const endpoints = new Map(operations.map(([operation, endpoint]) => [operation, endpoint]));

for (const [name, chapter] of chapters)
  describe(name, () => {
    for (const [sentence, steps] of Object.entries(chapter))
      test(sentence, async () => {
        const reached = await take(world, steps);
        const endpoint = endpoints.get(sentence);
        assert.ok(endpoint === undefined || reached.includes(endpoint), `${sentence} was not tried`);
      });
  });

test("each operation and each sentence of the specification has its steps, and nothing else has any", () => {
  const shown = chapters.flatMap(([, chapter]) => Object.keys(chapter));
  assert.deepEqual(shown.toSorted(), [...endpoints.keys(), ...rules].toSorted());
});
