import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { limits } from "@ledge/model";
import { type Reply, Served } from "../http/test-served.ts";
import type { TestHub } from "../testdata/open-cloud.ts";

let served: Served;
let hub: TestHub;
let owner: string;
let stranger: string;
let group: string;
let site: string;
before(async () => {
  ({ served, hub, owner } = await Served.withHub());
  stranger = await served.logIn("stranger@example.org");
  const account = served.accountId("owner@example.org");
  group = `/Subscriptions/${account}/ResourceGroups/homes`;
  const made = await call("POST", `/Subscriptions/${account}/ResourceGroups`, {
    name: "homes",
    location: "Turku",
  });
  assert.equal(made.status, 201);
  site = await newSite("Villa Ekö 1");
});
after(() => served.stop());

const call = (method: string, path: string, json?: unknown, token = owner): Promise<Reply> =>
  served.call(method, `/1.0${path}`, { token, ...(json !== undefined && { json }) });
const statusOf = async (...given: Parameters<typeof call>): Promise<number> => (await call(...given)).status;
const pathsIn = ({ json }: Reply): string[] =>
  (json as { data: { path: string }[] }).data.map(({ path }) => path);

/** Creates a site. @returns its path below `/1.0` */
async function newSite(name: string, more: object = {}): Promise<string> {
  const reply = await call("POST", `${group}/Resources`, { name, provider: "Vendor.Site", ...more });
  assert.equal(reply.status, 201, reply.text);
  return `/Sites/${(reply.json as { properties: { siteId: string } }).properties.siteId}`;
}

const entity = (parentPath: string, name: string, more: object = {}): Promise<Reply> =>
  call("POST", `${site}/Entities?parentPath=${encodeURIComponent(parentPath)}`, {
    type: "floor",
    name,
    ...more,
  });

describe("bad input", () => {
  test("makes no resource", async () => {
    for (const body of [
      {},
      { name: "abc" },
      { name: "ab", provider: "Vendor.Sites" },
      { name: "x".repeat(limits.resourceNameMaxChars + 1), provider: "Vendor.Sites" },
      { name: "abc", provider: "Vendor.Hubs" },
      { name: "abc", provider: "constructor" },
      { name: "abc", provider: "Vendor.Sites", init: [] },
      {
        name: "abc",
        provider: "Vendor.Sites",
        init: { displayName: "x".repeat(limits.displayNameChars + 1) },
      },
      { name: "abc", provider: "Vendor.Sites", init: { properties: { siteType: "castle" } } },
      { name: "abc", provider: "Vendor.Sites", init: { properties: { timeZone: "Mars" } } },
      {
        name: "abc",
        provider: "Vendor.Sites",
        init: { attributes: [{ $type: "Date", name: "a", value: 1 }] },
      },
      {
        name: "abc",
        provider: "Vendor.Sites",
        init: { attributes: [{ $type: "Int", name: "a", value: "1" }] },
      },
    ])
      assert.equal(await statusOf("POST", `${group}/Resources`, body), 422, JSON.stringify(body));
    assert.equal(await statusOf("GET", `${group}/Resources/abc`), 404);
    assert.equal(
      await statusOf("POST", `${group}/Resources`, { name: "VILLA ekö 1", provider: "vendor.sites" }),
      409,
    );
  });

  test("changes nothing in a site", async () => {
    const untouched = (await call("GET", site)).text;
    for (const [method, path, body, status] of [
      ["PATCH", site, { displayName: 7 }, 422],
      ["PATCH", site, { attributes: {} }, 422],
      ["POST", `${site}/Entities`, { type: "floor" }, 422],
      ["POST", `${site}/Entities`, { type: "Floor", name: "a" }, 422],
      ["POST", `${site}/Entities`, { type: "floor", name: "a/b" }, 422],
      ["POST", `${site}/Entities`, { type: "floor", name: "" }, 422],
      ["POST", `${site}/Entities`, { type: "floor", name: "x".repeat(limits.siteEntityNameChars + 1) }, 422],
      ["POST", `${site}/Entities?parentPath=none`, { type: "floor", name: "a" }, 404],
      [
        "POST",
        `${site}/Entities?parentPath=${"x".repeat(limits.sitePathChars + 1)}`,
        { type: "f", name: "a" },
        422,
      ],
      ["PATCH", `${site}/Entities`, {}, 422],
      ["PATCH", `${site}/Entities?path=none`, {}, 404],
      ["DELETE", `${site}/Entities`, undefined, 422],
      ["DELETE", `${site}/Entities?path=none`, undefined, 404],
      ["DELETE", `${site}/Entities?path=NONE`, undefined, 422],
      ["DELETE", `${site}/Entities?path=`, undefined, 422],
      ["PATCH", `${site}/Entities?path=a%2F%2Fb`, {}, 422],
      ["PATCH", `${site}/Entities?path=none`, { changeParentPath: "A" }, 422],
      ["POST", `${site}/Entities?parentPath=a%2F`, { type: "floor", name: "a" }, 422],
      ["GET", `${site}/Entities?globPattern=`, undefined, 422],
      ["GET", `${site}/Entities?globPattern=${"*".repeat(limits.siteGlobChars + 1)}`, undefined, 422],
      ["PUT", `${site}/Properties`, { timeZone: "Nowhere/Land" }, 422],
      [
        "PUT",
        `${site}/Properties`,
        { features: Array.from({ length: limits.siteFeatures + 1 }, () => "a") },
        422,
      ],
      ["PUT", `${site}/Schema`, {}, 422],
      ["PUT", `${site}/Schema`, { attributes: [], entities: [{ type: "?" }] }, 422],
      ["GET", "/Sites/none", undefined, 404],
      ["GET", "/Sites/__proto__", undefined, 404],
    ] as const) {
      const reply = await call(method, path, body);
      assert.equal(
        reply.status,
        status,
        `${method} ${path.slice(0, 60)} ${JSON.stringify(body)}: ${reply.text}`,
      );
      assert.equal(reply.headers.get("content-type"), "application/problem+json");
    }
    assert.equal((await call("GET", site)).text, untouched);
  });

  test("tells nobody else that a site exists", async () => {
    for (const path of [site, `${site}/Entities`, `${site}/Properties`, `${site}/Schema`])
      assert.equal(await statusOf("GET", path, undefined, stranger), 404);
    assert.equal(await statusOf("PATCH", site, { displayName: "Mine" }, stranger), 404);
  });
});

test("a site is a resource with a metadata of its own, which changes as far as it is said", async () => {
  const resource = (await call("GET", `${group}/Resources/villa ekö 1`)).json as Record<string, unknown>;
  assert.deepEqual(
    [resource["type"], resource["location"], resource["displayName"]],
    ["Vendor.Sites", "Turku", "Villa Ekö 1"],
  );
  assert.match((resource["properties"] as { siteId: string }).siteId, /^villa-ek-1-[a-z2-7]{8}$/);
  const attributes = [
    { $type: "Int", name: "floors", value: 2 },
    { $type: "Long", name: "serial", value: "9223372036854775807" },
  ];
  assert.deepEqual(((await call("GET", site)).json as { attributes: unknown }).attributes, null);
  await call("PATCH", site, { attributes });
  await call("PATCH", site, { displayName: "Villa", attributes: null });
  const said = (await call("GET", site)).json as {
    displayName: string;
    attributes: unknown;
    resourceId: string;
  };
  assert.deepEqual(
    [said.displayName, said.attributes, said.resourceId],
    ["Villa", attributes, resource["id"]],
  );
  const without = await call("PATCH", site, { attributes: [{ name: "floors", value: null }] });
  assert.deepEqual((without.json as { attributes: unknown }).attributes, attributes.slice(1));
});

test("properties and schema are replaced whole, and what is in the site must fit", async () => {
  const set = await call("PUT", `${site}/Properties`, {
    siteType: "office",
    timeZone: "Europe/Helsinki",
    features: ["sauna"],
  });
  assert.deepEqual((await call("GET", `${site}/properties`)).json, set.json);
  await call("PUT", `${site}/Properties`, { siteType: "retail" });
  assert.deepEqual((await call("GET", `${site}/Properties`)).json, {
    siteType: "retail",
    timeZone: "UTC",
    features: [],
  });
  const open = (await call("GET", `${site}/Schema`)).json;
  const strict = { attributes: [], entities: [] };
  const other = await newSite("Strict", { init: { schema: strict, displayName: "S" } });
  assert.deepEqual((await call("GET", `${other}/Schema`)).json, strict);
  assert.equal(await statusOf("POST", `${other}/Entities`, { type: "floor", name: "a" }), 422);
  assert.equal(await statusOf("PUT", `${other}/Schema`, open), 200);
  assert.equal(await statusOf("POST", `${other}/Entities`, { type: "floor", name: "a" }), 201);
  assert.equal(await statusOf("PUT", `${other}/Schema`, strict), 422);
});

test("entities are created, found by path and pattern, moved and deleted", async () => {
  const ground = await entity("", "ground", { displayName: "Ground floor" });
  assert.equal(ground.status, 201);
  const place = ground.headers.get("location") ?? "";
  assert.deepEqual(pathsIn(await served.call("GET", place, { token: owner })), ["ground"]);
  for (const name of ["hall", "bath-1", "bath-2"])
    assert.equal((await entity("ground", name, { type: "room" })).status, 201);
  assert.equal((await entity("", "attic")).status, 201);
  const found = async (pattern: string): Promise<string[]> =>
    pathsIn(await call("GET", `${site}/Entities?globPattern=${encodeURIComponent(pattern)}`));
  assert.deepEqual(await found("*"), ["attic", "ground", "ground/bath-1", "ground/bath-2", "ground/hall"]);
  assert.deepEqual(await found("ground/bath-*"), ["ground/bath-1", "ground/bath-2"]);
  assert.deepEqual(await found("**/hall"), ["ground/hall"]);
  assert.deepEqual(await found("none"), []);
  const first = await call("GET", `${site}/Entities?pageSize=2`);
  const { next } = (first.json as { links: { next: string } }).links;
  assert.deepEqual(pathsIn(await call("GET", `${site}/Entities?pageSize=2&next=${next}`)), [
    "ground/bath-1",
    "ground/bath-2",
  ]);
  assert.equal(await statusOf("GET", `${site}/Entities?globPattern=a*&next=${next}`), 422);

  const move = (path: string, changeParentPath: string | null): Promise<Reply> =>
    call("PATCH", `${site}/Entities?path=${path}`, { changeParentPath });
  assert.equal((await move("ground", "attic")).status, 409);
  assert.equal((await move("ground/hall", "none")).status, 404);
  const moved = await move("ground/hall", "attic");
  assert.equal((moved.json as { path: string }).path, "attic/hall");
  assert.equal((await move("attic/hall", null)).status, 200);
  assert.equal(((await move("attic/hall", "")).json as { path: string }).path, "hall");
  assert.equal(await statusOf("DELETE", `${site}/Entities?path=ground`), 409);
  const deleted = await call("DELETE", `${site}/Entities?path=hall`);
  assert.equal((deleted.json as { title: string }).title, "Deleted");
  assert.deepEqual(await found("hall"), []);
});

test("an entity stands for a device that who binds it can read", async () => {
  await served.registers.set(hub.id, "lamp", false);
  const bind = (deviceRegisterId: string, deviceId: string, name: string): Promise<Reply> =>
    entity("", name, { device: { deviceRegisterId, deviceId } });
  assert.equal((await bind(hub.id, "unknown", "lamp-1")).status, 404);
  const foreign = await served.claimed("other@example.org");
  await served.registers.set(foreign.hub.id, "lamp", false);
  assert.equal((await bind(foreign.hub.id, "lamp", "lamp-1")).status, 404);
  const bound = await bind(hub.id, "lamp", "lamp-1");
  assert.deepEqual((bound.json as { device: object }).device, { deviceRegisterId: hub.id, deviceId: "lamp" });
  const loosed = await call("PATCH", `${site}/Entities?path=lamp-1`, { device: null });
  assert.equal((loosed.json as { device: null }).device, null);
});

test("a role in a part of the tenant reads or changes the sites there, and ends with the role", async () => {
  const { directory } = served.test.cloud;
  const reader = await served.logIn("reader@example.org");
  const principal = directory.accountOf("reader@example.org")?.id ?? assert.fail();
  const tenantId = directory.accountOf("owner@example.org")?.id ?? assert.fail();
  const ask = async (token: string, type: string, fields: object): Promise<string | undefined> =>
    (await served.graph(token, { type, ...fields })).error?.code;
  const siteId = site.split("/").at(-1);
  const role = { tenantId, scope: group, principal, role: "reader" };
  assert.equal(await ask(reader, "GetSiteQuery", { siteId }), "E_NOT_FOUND");
  assert.equal(await ask(reader, "AssignRoleTenantCommand", role), "E_NOT_FOUND");
  assert.equal(await ask(owner, "AssignRoleTenantCommand", role), undefined);
  assert.equal(await ask(reader, "GetSiteQuery", { siteId }), undefined);
  assert.equal(await ask(reader, "UpdateSiteCommand", { siteId, displayName: "Mine" }), "E_FORBIDDEN");
  // Over 1.0 the reader first enters the tenant.
  assert.equal(await statusOf("GET", site, undefined, reader), 404);
  assert.equal(await statusOf("PUT", "/Tenants/Active", { tenantId }, reader), 200);
  assert.equal(await statusOf("GET", site, undefined, reader), 200);
  assert.equal(await statusOf("PATCH", site, { displayName: "Mine" }, reader), 403);
  assert.equal(await statusOf("GET", `/Registers/${hub.id}/Devices`, undefined, reader), 404);
  assert.equal(await ask(owner, "AssignRoleTenantCommand", { ...role, role: "contributor" }), undefined);
  assert.equal(await statusOf("PATCH", site, { displayName: "Ours" }, reader), 200);
  for (const name of ["reader", "contributor"])
    assert.equal(await ask(owner, "RemoveRoleTenantCommand", { ...role, role: name }), undefined);
  assert.equal(await statusOf("GET", site, undefined, reader), 404);
});

test("a deleted resource takes its site along", async () => {
  const gone = await newSite("Gone");
  const deleted = await call("DELETE", `${group}/Providers/Vendor.Site/gone`);
  assert.equal((deleted.json as { title: string }).title, "Deleted");
  assert.equal(await statusOf("GET", gone), 404);
  const made = await call("POST", `${group}/Resources`, { name: "Gone", provider: "Vendor.Sites" });
  assert.notEqual(`/Sites/${(made.json as { properties: { siteId: string } }).properties.siteId}`, gone);
  const { kernel } = served.test.cloud;
  const { size } = [...kernel.all("site")].reduce((ids, [id]) => ids.add(id), new Set<string>());
  assert.equal(await statusOf("DELETE", group), 200);
  assert.ok(size > 0);
  assert.equal(kernel.size("site"), 0);
});

test("names and attributes of a site are sealed on disk", async () => {
  const made = await call("POST", group.replace("/homes", ""), { name: "sealed" });
  assert.equal(made.status, 201);
  const init = {
    displayName: "canary-site",
    attributes: [{ $type: "String", name: "a", value: "canary-value" }],
  };
  const body = { name: "sealed", provider: "Vendor.Sites", init };
  assert.equal((await call("POST", `${group.replace("homes", "sealed")}/Resources`, body)).status, 201);
  await served.test.cloud.kernel.sync();
  for (const text of ["canary-site", "canary-value"]) assert.equal(served.test.onDisk(text), false);
});
