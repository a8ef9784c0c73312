import assert from "node:assert/strict";
import { test } from "node:test";
import { isRejection } from "@ledge/model";
import fc from "fast-check";
import type { SiteCommand } from "./site-commands.ts";
import { changeSite } from "./site-deciding.ts";
import { openSchema } from "./site-schema.ts";
import type { SiteEvent } from "./site-events.ts";
import { site } from "./site.ts";
import type { Site } from "./site-state.ts";
import { entityAt, parentOf, walk } from "./site-tree.ts";

const name = fc.constantFrom("a", "b", "constructor", "__proto__");
// Paths also name what no entity is called: `A` stands beside `a`, and is another.
const path = fc.array(fc.oneof(name, fc.constant("A")), { maxLength: 3 }).map((names) => names.join("/"));
const command: fc.Arbitrary<SiteCommand> = fc.oneof(
  fc.record({ parent: path, name }).map((place) => {
    const said = { entityType: "floor", displayName: "", attributes: [], device: null };
    return { type: "CREATE_SITE_ENTITY" as const, id: "s", ...place, ...said };
  }),
  fc
    .record({ path, parent: path })
    .map((move) => ({ type: "UPDATE_SITE_ENTITY" as const, id: "s", ...move })),
  path.map((at) => ({ type: "DELETE_SITE_ENTITY" as const, id: "s", path: at })),
);

const empty: Site = {
  id: "s",
  place: { subscription: "sub", group: "Main", name: "House" },
  about: {
    displayName: "House",
    attributes: [],
    properties: { siteType: "other", timeZone: "UTC", features: [] },
    schema: openSchema,
  },
  entities: {},
  entityCount: 0,
  createdAt: 0,
  timestamp: 0,
};

test("the tree holds each entity once, where its path says, after any creations, moves and deletions", () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
      let state = empty;
      for (const each of commands) {
        const decided = changeSite(each, state);
        if (isRejection(decided)) continue;
        for (const event of decided) state = site.evolve(state, event as SiteEvent, 1) ?? assert.fail();
        const found = [...walk(state.entities)];
        assert.equal(found.length, state.entityCount);
        for (const { path: at, entity } of found) {
          assert.equal(entityAt(state.entities, at), entity);
          assert.ok(parentOf(at) === "" || entityAt(state.entities, parentOf(at)) !== undefined);
        }
      }
    }),
    { numRuns: 200 },
  );
});
