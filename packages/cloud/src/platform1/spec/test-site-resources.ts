// Sites of the specification (platform-api 2.4) and what is in them, as data.
import assert from "node:assert/strict";
import type { Reply } from "../../http/test-served.ts";
import { atLocation, type Field, type Resource } from "./test-field.ts";
import { idLetters, itemOf, jsonOf, named, once, siteOf, words } from "./test-shared.ts";
import type { World } from "./test-world.ts";

const attributes: Field = {
  usual: null,
  takes: [
    null,
    [{ $type: "String", name: "a", value: "text" }],
    [{ $type: "Long", name: "a", value: "9223372036854775807" }],
    [{ $type: "Int", name: "a", value: 1 }],
    [{ $type: "Double", name: "a", value: 1.5 }],
    [{ $type: "Boolean", name: "a", value: true }],
    [{ $type: "Json", name: "a", value: { b: [1] } }],
  ],
  refuses: [{}, "a", [{ $type: "Date", name: "a", value: "2026-01-01" }]],
};

const pathOf = ({ json }: Reply): string => (json as { path: string }).path;

/** Puts a part of a site. */
const put =
  (part: string) =>
  async (world: World, body: object): Promise<Reply> =>
    world.call("PUT", `${await siteOf(world)}${part}`, body);
const get = (part: string) => async (world: World) => world.call("GET", `${await siteOf(world)}${part}`);

export const siteResources: Readonly<Record<string, Resource>> = {
  "site metadata": {
    fields: ["displayName", "createdAt", "modifiedAt", "attributes"],
    additive: ["siteId", "resourceId"],
    written: { displayName: { chars: [0, 50] }, attributes },
    send: (world, init) => {
      const body = { ...named(world), provider: "Vendor.Sites", init };
      return world.call("POST", `${world.group}/Resources`, body).then(underInit);
    },
    read(world, reply) {
      const { siteId } = (jsonOf(reply) as { properties: { siteId: string } }).properties;
      return world.call("GET", `/Sites/${siteId}`);
    },
  },
  "site entity create": {
    fields: ["type", "name", "displayName", "attributes"],
    additive: ["path", "device", "createdAt", "modifiedAt"],
    written: {
      type: { chars: [1, 50], isRequired: true, takes: ["a-b_9"], refuses: idLetters },
      name: { chars: [1, 50], isRequired: true, takes: ["a-b_9"], refuses: idLetters },
      displayName: { chars: [0, 50] },
      attributes,
    },
    base: (world) => ({ type: "floor", ...named(world) }),
    send: async (world, body) => world.call("POST", `${await siteOf(world)}/Entities`, body),
    async read(world, reply) {
      const found = await atLocation(world, reply);
      return itemOf(found, (found.json as { data: object[] }).data[0]);
    },
  },
  "site entity update": {
    fields: ["displayName", "attributes"],
    additive: ["type", "name", "path", "device", "createdAt", "modifiedAt"],
    written: {
      displayName: { chars: [0, 50] },
      attributes: { ...attributes, takes: attributes.takes?.slice(1) ?? [] },
      changeParentPath: { takes: [null, "", "top"], refuses: [7, "Top", "a//b"] },
    },
    async send(world, body) {
      const entities = `${await siteOf(world)}/Entities`;
      await once(world, "top", async () =>
        pathOf(await world.call("POST", entities, { type: "a", name: "top" })),
      );
      const path = pathOf(await world.call("POST", entities, { type: "room", ...named(world) }));
      return world.call("PATCH", `${entities}?path=${path}`, body);
    },
    status: 200,
    async read(world, reply) {
      const path = pathOf(reply ?? assert.fail("no reply"));
      const found = await world.call("GET", `${await siteOf(world)}/Entities?globPattern=${path}`);
      return itemOf(found, (found.json as { data: object[] }).data[0]);
    },
  },
  "site properties": {
    fields: ["siteType", "timeZone", "features"],
    written: {
      siteType: { takes: ["office"], refuses: ["castle", 7] },
      timeZone: { takes: ["Europe/Helsinki", "UTC"], refuses: ["Mars/Base", "", 7] },
      features: { takes: [["sauna"], []], refuses: ["sauna", [7]] },
    },
    send: put("/Properties"),
    status: 200,
    read: get("/Properties"),
  },
  "site schema": {
    fields: ["attributes", "entities"],
    written: {
      attributes: {
        isRequired: true,
        takes: [[], [{ name: "*" }], [{ name: "area", type: "Double", required: false }]],
        refuses: [null, "*", [{}]],
      },
      entities: {
        isRequired: true,
        takes: [[{ type: "*", attributes: [{ name: "*" }], parents: ["*"] }]],
        refuses: [null, "*", [{}]],
      },
    },
    base: () => ({ attributes: [], entities: [{ type: "*", attributes: [{ name: "*" }], parents: ["*"] }] }),
    send: put("/Schema"),
    status: 200,
    read: get("/Schema"),
  },
  "egress target": {
    fields: words(
      "$type id url method headers serverScript requestTimeoutSeconds isEnabled fetchMaxEvents fetchWaitMaxMs",
    ),
    additive: ["disabled", "deadLetters"],
    written: {
      $type: { isRequired: true, takes: ["rest"], refuses: ["Rest", "queue", 7] },
      id: { chars: [3, 50], isRequired: true, takes: ["aZ9"], refuses: ["a-b", "a_b", "å23"] },
      url: { isRequired: true, takes: ["https://hooks.example/b"], refuses: ["", "hooks", 7] },
      method: { usual: "POST", takes: ["POST", "PUT"], refuses: ["GET", "post"] },
      headers: {
        usual: {},
        takes: [{ authorization: "secret" }],
        shown: (headers) => Object.fromEntries(Object.keys(headers as object).map((name) => [name, "***"])),
        refuses: [[], "authorization", { a: 7 }],
      },
      serverScript: { usual: null, takes: [null], refuses: [7] },
      requestTimeoutSeconds: { range: [1, 60], usual: null, takes: [1.5, null] },
      isEnabled: { isFlag: true, usual: true },
      fetchMaxEvents: { range: [1, 10_000], usual: 10, refuses: [1.5] },
      fetchWaitMaxMs: { range: [2, 60_000], usual: 10, refuses: [2.5] },
    },
    base: (world) => ({ $type: "rest", id: world.newName(), url: "https://hooks.example/in" }),
    send: async (world, body) => world.call("POST", `${await siteOf(world)}/EgressTargets`, body),
    async read(world, reply) {
      const read = await atLocation(world, reply);
      // A site has few targets.
      const { id } = jsonOf(reply) as { id: string };
      await world.call("DELETE", `${await siteOf(world)}/EgressTargets/${id}`);
      return read;
    },
  },
  template: {
    fields: ["id", "displayName", "content", "revision"],
    additive: ["isDefault"],
    written: {
      id: { chars: [1, 100], isRequired: true, takes: ["a-b_9"], refuses: idLetters },
      displayName: { chars: [1, 100], isRequired: true },
      content: { isRequired: true, takes: [{}, { a: [1] }], refuses: [[], "text", 7, null] },
      setAsDefault: { isFlag: true, usual: false, shownAs: "isDefault" },
    },
    base: (world) => ({ id: world.newName(), displayName: "Main", content: {} }),
    send: (world, body) => world.call("POST", `/Tenants/${world.account}/Templates/dashboard`, body),
    async read(world, reply) {
      const { id } = jsonOf(reply) as { id: string };
      return world.call("GET", `${await siteOf(world)}/Templates/${id}`);
    },
    forms: () => ({ revision: 1 }),
  },
  "device templates of a type": {
    fields: ["type", "defaultTemplateId", "templates"],
    written: {},
    base: (world) => ({ id: world.newName(), displayName: "Lamp", content: {}, setAsDefault: true }),
    send: (world, body) => world.call("POST", `/Tenants/${world.account}/DeviceTemplates/LIGHT`, body),
    read: (world) => world.call("GET", `/Registers/${world.hub.id}/Templates/LIGHT`),
    forms: ({ templates }) => {
      assert.ok(Array.isArray(templates) && templates.length > 0);
      return { type: "LIGHT", defaultTemplateId: (templates.at(-1) as { id: string }).id };
    },
  },
};

/** Names the fields of a site as they stand in it, not in the body that creates it. */
function underInit(reply: Reply): Reply {
  const { errors } = reply.json as { errors?: readonly { field: string }[] };
  if (errors === undefined) return reply;
  const named_ = errors.map(({ field }) => ({ field: field.replace(/^init\./, "") }));
  return { ...reply, json: { ...(reply.json as object), errors: named_ } };
}
