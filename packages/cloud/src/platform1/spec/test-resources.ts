// Tenants, registers and users of the specification (platform-api 2.4) as data, each with the requests that write and
// read them.
import assert from "node:assert/strict";
import { atLocation, type Field, type Resource } from "./test-field.ts";
import { idLetters, itemOf, jsonOf, named, once, tags, words } from "./test-shared.ts";
import { siteResources } from "./test-site-resources.ts";
import type { World } from "./test-world.ts";

const upTo = (most: number): Field => ({ chars: [0, most], usual: "" });
const internal = (world: World): Promise<string> => world.token("internal");
const registerOf = async (world: World): Promise<string> =>
  `/Registers/${await once(world, "register", () => world.newRegister())}`;

export const resources: Readonly<Record<string, Resource>> = {
  tenant: {
    fields: ["id", "tenantId", "displayName"],
    written: { displayName: { chars: [1, 50], isRequired: true } },
    base: () => ({ displayName: "Acme" }),
    send: async (world, body) => world.call("POST", "/Tenants", body, await internal(world)),
    status: 200,
    async read(world, reply) {
      const { tenantId } = jsonOf(reply) as { tenantId: string };
      return world.call("GET", `/Tenants/${tenantId}`, undefined, await internal(world));
    },
    forms: ({ tenantId }) => ({ id: `/Tenant/${String(tenantId)}` }),
  },
  subscription: {
    fields: ["id", "subscriptionId", "displayName", "tags"],
    written: { displayName: { chars: [1, 50], isRequired: true }, tags },
    base: () => ({ displayName: "Offices" }),
    send: (world, body) => world.call("POST", "/Subscriptions", body),
    read: atLocation,
    forms: ({ subscriptionId }) => ({ id: `/Subscriptions/${String(subscriptionId)}` }),
  },
  "resource group": {
    fields: ["id", "name", "location", "tags"],
    written: {
      name: { chars: [3, 50], isRequired: true },
      location: { usual: "", takes: ["Turku"], refuses: [7] },
      tags,
    },
    base: named,
    send: (world, body) => world.call("POST", `/Subscriptions/${world.account}/ResourceGroups`, body),
    read: atLocation,
  },
  resource: {
    fields: ["id", "name", "type", "location", "displayName", "tags"],
    additive: ["properties"],
    written: {
      name: { chars: [3, 50], isRequired: true },
      provider: {
        isRequired: true,
        shownAs: "type",
        takes: ["Vendor.Sites", "Vendor.DeviceRegister", "Vendor.Site"],
        shown: (provider) => (provider === "Vendor.Site" ? "Vendor.Sites" : provider),
        refuses: ["Vendor.Nothing", 7, ""],
      },
      init: { takes: [null, { displayName: "House" }], refuses: ["House", [], { displayName: 7 }] },
      tags,
    },
    base: (world) => ({ ...named(world), provider: "Vendor.Sites" }),
    send: (world, body) => world.call("POST", `${world.group}/Resources`, body),
    read: atLocation,
    forms: ({ id, name }) => {
      assert.match(String(id), /^\/Subscriptions\/[^/]+\/ResourceGroups\/things\/Providers\/Vendor\.Sites\//);
      return { id: String(id).replace(/[^/]+$/, String(name)), type: "Vendor.Sites", displayName: name };
    },
  },
  "register device": {
    fields: words(
      "id isActive name type capabilities createdAt modifiedAt routing nativeId serialNumber model manufacturer tags",
    ),
    additive: ["createdBy", "modifiedBy"],
    written: {
      id: { chars: [3, 50], isRequired: true, takes: ["a-b_9"], refuses: idLetters },
      isActive: { isFlag: true },
      name: { chars: [1, 100], isRequired: true },
      type: { isRequired: true, takes: ["METER", "any text"], refuses: [7, ""] },
      capabilities: { usual: [], takes: [["ON_OFF"], []], refuses: ["ON_OFF", [7]] },
      routing: {
        takes: [{ gatewayId: "gate", protocol: null }],
        refuses: ["gate", { gatewayId: 7, protocol: null }],
      },
      nativeId: upTo(100),
      serialNumber: upTo(100),
      model: upTo(100),
      manufacturer: upTo(100),
      tags,
    },
    base: (world) => ({ id: world.newName(), name: "Meter", type: "METER" }),
    send: async (world, body) => world.call("POST", `${await registerOf(world)}/Devices`, body),
    read: atLocation,
    forms: ({ createdAt, modifiedAt }) => {
      for (const time of [createdAt, modifiedAt]) assert.ok(Math.abs(Number(time) - Date.now()) < 86_400_000);
      return {};
    },
  },
  // The hub that a body names is looked for when all of the body is well: 404 says that it is.
  "hub register body": {
    fields: [],
    written: {
      serialNumber: { chars: [2, 100], isRequired: true },
      name: { chars: [3, 100] },
      model: { chars: [0, 100] },
      manufacturer: { chars: [0, 100] },
      tags: { takes: [{}, { floor: "1" }], refuses: ["floor"] },
    },
    base: () => ({ serialNumber: "unknown" }),
    send: async (world, body) => world.call("POST", `${await registerOf(world)}/Hubs`, body),
    status: 404,
    read: async (world) => itemOf(await world.call("GET", "/Tenants"), {}),
  },
  "hub user": {
    fields: ["userId", "email", "role"],
    additive: ["invitedUntil"],
    written: {
      email: {
        chars: [null, 256],
        text: (chars) => `${"x".repeat(chars - "@example.org".length)}@example.org`,
        refuses: ["nobody", "a@b c"],
      },
      role: {
        isRequired: true,
        takes: ["ADMIN", "USER", "REMOTEGUEST", "GUEST"],
        // The owner is given by a transfer, and nobody is given no role at all.
        refuses: ["OWNER", "ANONYMOUS", "user", "x".repeat(65), 8],
      },
    },
    base: (world) => ({ email: `${world.newName()}@example.org`, role: "USER" }),
    send: (world, body) => world.call("POST", usersOf(world), body),
    status: 200,
    async read(world, _reply, body) {
      const { email } = body as { email: string };
      const list = await world.call("GET", usersOf(world));
      const { users } = list.json as { users: { userId: string; email: string }[] };
      const { userId } = users.find((user) => user.email === email) ?? assert.fail(email);
      const user = await world.call("GET", `${usersOf(world)}/${userId}`);
      assert.deepEqual(
        users.find((each) => each.userId === userId),
        user.json,
      );
      return user;
    },
  },
  "list of hub users": {
    fields: ["users"],
    written: {},
    read: (world) => world.call("GET", usersOf(world)),
  },
  ...siteResources,
  "paged list": {
    fields: ["data", "links"],
    written: {},
    read: (world) => world.call("GET", "/Tenants"),
    forms: ({ data }) => {
      assert.ok(Array.isArray(data) && data.length > 0);
      return { links: { next: null, prev: null } };
    },
  },
};

function usersOf({ hub }: World): string {
  return `/Registers/${hub.id}/Devices/${hub.id}/Users`;
}
