import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits } from "@ledge/model";
import type { AttributeChange } from "./site-attributes.ts";
import { changeSite } from "./site-deciding.ts";
import { openSchema } from "./site-schema.ts";
import { givenCloud } from "./test-given.ts";

const properties = { siteType: "office", timeZone: "Europe/Helsinki", features: [] };
const place = { subscription: "sub", group: "Main", name: "House" };
const about = { displayName: "House", attributes: [], properties, schema: openSchema };
const created = { type: "SiteCreated", id: "s", place, ...about };
const text = (name: string, value = "v"): AttributeChange => ({ $type: "String", name, value });
const entity = (path: string, more: object = {}) => {
  const said = { entityType: "floor", displayName: path, attributes: [], device: null };
  return { type: "EntityCreated", id: "s", path, ...said, ...more };
};
const makeEntity = (parent: string, name: string, more: object = {}) => {
  const said = { entityType: "floor", displayName: name, attributes: [], device: null };
  return { type: "CREATE_SITE_ENTITY", id: "s", parent, name, ...said, ...more };
};
const update = (more: object) => ({ type: "UPDATE_SITE", id: "s", ...more });
const updateEntity = (path: string, more: object) => ({ type: "UPDATE_SITE_ENTITY", id: "s", path, ...more });

describe("attributes", () => {
  test("of every type take their values only", () => {
    const wrong: [AttributeChange["$type"], unknown][] = [
      ["String", 7],
      ["String", "x".repeat(limits.siteAttributeBytes - 1)],
      ["String", "ä".repeat(limits.siteAttributeBytes / 2)],
      ["Int", 1.5],
      ["Int", 2 ** 31],
      ["Int", -(2 ** 31) - 1],
      ["Int", "1"],
      ["Long", 1.5],
      ["Long", 2 ** 53],
      ["Long", "9223372036854775808"],
      ["Long", "-9223372036854775809"],
      ["Long", "1e3"],
      ["Long", ""],
      ["Double", "1"],
      ["Double", Number.POSITIVE_INFINITY],
      ["Boolean", 0],
      ["Json", undefined],
      ["Json", { text: "x".repeat(limits.siteAttributeBytes) }],
      [undefined, "text"],
    ];
    for (const [$type, value] of wrong) {
      const field = $type === undefined ? "attributes.0.$type" : "attributes.0.value";
      const change = { ...($type && { $type }), name: "a", value };
      givenCloud([created])
        .when(update({ attributes: [change] }))
        .then({ rejected: "invalid", field });
    }
    const right: [AttributeChange["$type"], unknown, unknown?][] = [
      ["String", "x".repeat(limits.siteAttributeBytes - 2)],
      ["Int", -(2 ** 31)],
      ["Int", 2 ** 31 - 1],
      ["Long", 2 ** 53 - 1],
      ["Long", "9223372036854775807"],
      ["Long", "-9223372036854775808"],
      ["Long", "12", 12],
      ["Double", 0.5],
      ["Boolean", false],
      ["Json", { list: [1, null] }],
    ];
    for (const [$type, value, kept = value] of right)
      givenCloud([created])
        .when(update({ attributes: [{ $type, name: "a", value }] }))
        .then([
          {
            type: "SiteUpdated",
            id: "s",
            displayName: "House",
            attributes: [{ $type, name: "a", value: kept }],
          },
        ]);
  });

  test("change by name, go with null, and what is left out stays", () => {
    const held = { type: "SiteUpdated", id: "s", displayName: "House", attributes: [text("a"), text("b")] };
    const world = givenCloud([created, held]);
    world
      .when(update({ attributes: [{ name: "a", value: null }, text("c")] }))
      .then([{ ...held, attributes: [text("b"), text("c")] }]);
    world.when(update({ displayName: "Home" })).then([{ ...held, displayName: "Home" }]);
    world.when(update({ attributes: [text("a"), { name: "none", value: null }] })).then([]);
    world
      .when(update({ attributes: [text("a"), text("a")] }))
      .then({ rejected: "invalid", field: "attributes.1.name" });
  });

  test("are no more than their limit", () => {
    const many = Array.from({ length: limits.siteAttributes }, (_, index) => text(`a${index}`));
    const full = { type: "SiteUpdated", id: "s", displayName: "House", attributes: many };
    const world = givenCloud([created, full]);
    world.when(update({ attributes: [text("more")] })).then({ rejected: "invalid", field: "attributes" });
    world
      .when(update({ attributes: [text("a0", "new")] }))
      .then([{ ...full, attributes: [text("a0", "new"), ...many.slice(1)] }]);
  });
});

test("a new site names a time zone, fits its own schema, and has no attribute without a value", () => {
  const create = { type: "CREATE_SITE", id: "s", place, ...about };
  givenCloud([]).when(create).then([created]);
  givenCloud([created]).when(create).then({ rejected: "wrong-state", field: "siteId" });
  for (const [change, field] of [
    [{ properties: { ...properties, timeZone: "Mars/Olympus" } }, "properties.timeZone"],
    [{ attributes: [{ $type: "String", name: "a", value: null }] }, "attributes.0.value"],
    [{ attributes: [text("a")], schema: { attributes: [], entities: [] } }, "attributes"],
    [{ schema: { attributes: [{ name: "a" }, { name: "a" }], entities: [] } }, "schema.attributes.1.name"],
    [
      { schema: { attributes: [{ name: "*", required: true }], entities: [] } },
      "schema.attributes.0.required",
    ],
    [
      {
        schema: {
          attributes: [],
          entities: [
            { type: "a", attributes: [], parents: [] },
            { type: "a", attributes: [], parents: [] },
          ],
        },
      },
      "schema.entities.1.type",
    ],
  ] as const)
    givenCloud([])
      .when({ ...create, ...change })
      .then({ rejected: "invalid", field });
});

describe("entities", () => {
  const base = [created, entity("a"), entity("a/b"), entity("c")];

  test("stand in a parent that exists, once, and no deeper than the limit", () => {
    const world = givenCloud(base);
    world.when(makeEntity("none", "d")).then({ rejected: "not-found", field: "parentPath" });
    world.when(makeEntity("constructor", "d")).then({ rejected: "not-found", field: "parentPath" });
    world.when(makeEntity("a", "b")).then({ rejected: "taken", field: "name" });
    world
      .when(makeEntity("a/b", "constructor"))
      .then([entity("a/b/constructor", { displayName: "constructor" })]);
    const names = Array.from({ length: limits.siteEntityDepth }, () => "n");
    const chain = names.map((_, index) => entity(names.slice(0, index + 1).join("/")));
    const deep = givenCloud([created, ...chain]);
    deep.when(makeEntity(names.join("/"), "n")).then({ rejected: "limit", field: "limit" });
    deep
      .when(makeEntity(names.slice(1).join("/"), "m"))
      .then([entity(`${names.slice(1).join("/")}/m`, { displayName: "m" })]);
  });

  test("are no more than their limit", () => {
    const state = givenCloud([created]).state("site", "s") ?? assert.fail();
    const full = { ...state, entityCount: limits.siteEntities };
    const command = makeEntity("", "more") as Parameters<typeof changeSite>[0];
    assert.deepEqual(changeSite(command, full), {
      rejected: "limit",
      message: `at most ${limits.siteEntities} entities`,
      field: "limit",
    });
    assert.deepEqual(changeSite(command, { ...full, entityCount: limits.siteEntities - 1 }), [
      entity("more", { displayName: "more" }),
    ]);
  });

  test("with others in them neither go nor move", () => {
    const world = givenCloud(base);
    world
      .when({ type: "DELETE_SITE_ENTITY", id: "s", path: "none" })
      .then({ rejected: "not-found", field: "path" });
    world
      .when({ type: "DELETE_SITE_ENTITY", id: "s", path: "a" })
      .then({ rejected: "wrong-state", field: "path" });
    world
      .when(updateEntity("a", { parent: "c" }))
      .then({ rejected: "wrong-state", field: "changeParentPath" });
    const after = world
      .when({ type: "DELETE_SITE_ENTITY", id: "s", path: "a/b" })
      .then([{ type: "EntityDeleted", id: "s", path: "a/b" }]);
    assert.equal(after.state("site", "s")?.entityCount, 2);
  });

  test("are found by their exact names", () => {
    const world = givenCloud(base);
    world
      .when({ type: "DELETE_SITE_ENTITY", id: "s", path: "C" })
      .then({ rejected: "not-found", field: "path" });
    world.when(updateEntity("C", { displayName: "C" })).then({ rejected: "not-found", field: "path" });
    world.when(updateEntity("A/b", { displayName: "B" })).then({ rejected: "not-found", field: "path" });
    world.when(makeEntity("A", "d")).then({ rejected: "not-found", field: "parentPath" });
    for (const parent of ["A", "C"])
      world.when(updateEntity("a/b", { parent })).then({ rejected: "not-found", field: "changeParentPath" });
  });

  test("move to a parent that exists, where nothing has their name", () => {
    const world = givenCloud([...base, entity("c/b")]);
    world
      .when(updateEntity("a/b", { parent: "none" }))
      .then({ rejected: "not-found", field: "changeParentPath" });
    world
      .when(updateEntity("a/b", { parent: "a/b" }))
      .then({ rejected: "not-found", field: "changeParentPath" });
    world.when(updateEntity("a/b", { parent: "c" })).then({ rejected: "taken", field: "name" });
    world.when(updateEntity("a/b", { parent: "a" })).then([]);
    const moved = { type: "EntityMoved", id: "s", path: "a/b", to: "b" };
    const site = world
      .when(updateEntity("a/b", { parent: "" }))
      .then([moved])
      .state("site", "s");
    assert.deepEqual(Object.keys(site?.entities ?? {}).toSorted(), ["a", "b", "c"]);
    assert.equal(site?.entities["b"]?.movedFrom, "a/b");
    assert.deepEqual(site?.entities["a"]?.entities, {});
  });

  test("change as far as it is said, and move in the same command", () => {
    const device = { deviceRegisterId: "hub", deviceId: "lamp", by: "ada" };
    const bound = {
      type: "EntityUpdated",
      id: "s",
      path: "a/b",
      displayName: "B",
      attributes: [text("x")],
      device,
    };
    const world = givenCloud([...base, bound]);
    world.when(updateEntity("a/b", {})).then([]);
    world.when(updateEntity("a/b", { device: null })).then([{ ...bound, device: null }]);
    world.when(updateEntity("a/b", { displayName: "New", parent: "c" })).then([
      { ...bound, displayName: "New" },
      { type: "EntityMoved", id: "s", path: "a/b", to: "c/b" },
    ]);
    world.when(updateEntity("none", {})).then({ rejected: "not-found", field: "path" });
  });
});

describe("a schema", () => {
  const schema = {
    attributes: [{ name: "owner", type: "String", required: true }],
    entities: [
      {
        type: "floor",
        attributes: [{ name: "level", type: "Int", required: true }, { name: "*" }],
        parents: [""],
      },
      { type: "room", attributes: [], parents: ["floor"] },
    ],
  };
  const set = { type: "SET_SITE_SCHEMA", id: "s", schema };
  const level = { $type: "Int", name: "level", value: 1 };
  const strict = { type: "SiteSchemaSet", id: "s", schema };
  const owned = { type: "SiteUpdated", id: "s", displayName: "House", attributes: [text("owner")] };

  test("is refused when something that is there does not fit it", () => {
    givenCloud([created]).when(set).then({ rejected: "invalid", field: "attributes" });
    givenCloud([created, owned, entity("a")])
      .when(set)
      .then({ rejected: "invalid", field: "entities" });
    givenCloud([created, owned, entity("a", { attributes: [level] })])
      .when(set)
      .then([strict]);
    givenCloud([created, owned, strict]).when(set).then([]);
  });

  test("holds for all that comes later", () => {
    const world = givenCloud([created, owned, strict, entity("a", { attributes: [level] })]);
    for (const [command, field] of [
      [makeEntity("", "b"), "attributes"],
      [makeEntity("", "b", { attributes: [{ $type: "Long", name: "level", value: 1 }] }), "attributes"],
      [makeEntity("a", "b", { attributes: [level] }), "type"],
      [makeEntity("", "b", { entityType: "room" }), "type"],
      [makeEntity("", "b", { entityType: "roof" }), "type"],
      [makeEntity("a", "b", { entityType: "room", attributes: [text("x")] }), "attributes"],
      [updateEntity("a", { attributes: [{ name: "level", value: null }] }), "attributes"],
      [update({ attributes: [{ name: "owner", value: null }] }), "attributes"],
      [update({ attributes: [text("other")] }), "attributes"],
    ] as const)
      world.when(command).then({ rejected: "invalid", field });
    const fits = { attributes: [level, text("anything")] };
    world.when(makeEntity("", "b", fits)).then([entity("b", fits)]);
    world
      .when(makeEntity("a", "b", { entityType: "room" }))
      .then([entity("a/b", { entityType: "room", displayName: "b" })]);
  });

  test("without any definition allows nothing", () => {
    const nothing = { type: "SiteSchemaSet", id: "s", schema: { attributes: [], entities: [] } };
    const world = givenCloud([created, nothing]);
    world.when(makeEntity("", "a")).then({ rejected: "invalid", field: "type" });
    world.when(update({ attributes: [text("a")] })).then({ rejected: "invalid", field: "attributes" });
  });
});
