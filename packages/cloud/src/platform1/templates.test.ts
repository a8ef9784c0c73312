import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { type Reply, Served } from "../http/test-served.ts";
import type { TestHub } from "../testdata/open-cloud.ts";

let served: Served;
let hub: TestHub;
let owner: string;
let tenant: string;
let account: string;
before(async () => {
  ({ served, hub, owner } = await Served.withHub());
  account = served.accountId("owner@example.org");
  tenant = `/Tenants/${account}`;
});
after(() => served.stop());

const call = (method: string, path: string, json?: unknown, token = owner): Promise<Reply> =>
  served.call(method, `/1.0${path}`, { token, ...(json !== undefined && { json }) });
const statusOf = async (...given: Parameters<typeof call>): Promise<number> => (await call(...given)).status;
const template = (id: string, more: object = {}): object => ({
  id,
  displayName: "Main",
  content: { a: 1 },
  ...more,
});

test("refuses wrong templates, and those for devices without their type", async () => {
  for (const body of [
    {},
    template(""),
    template("Main"),
    template("a b"),
    template("x".repeat(limits.templateIdChars + 1)),
    template("main", { displayName: "" }),
    template("main", { displayName: "x".repeat(limits.templateNameChars + 1) }),
    template("main", { content: [] }),
    template("main", { content: "text" }),
    template("main", { setAsDefault: "yes" }),
    template("main", { content: { text: "x".repeat(limits.templateBytes) } }),
  ])
    assert.equal(
      await statusOf("POST", `${tenant}/Templates/dashboard`, body),
      422,
      JSON.stringify(body).slice(0, 80),
    );
  for (const type of ["device", "unknown"])
    assert.equal(await statusOf("POST", `${tenant}/Templates/${type}`, template("main")), 422);
  assert.equal(await statusOf("GET", `${tenant}/Templates/unknown`), 422);
  assert.equal(
    await statusOf("PUT", `${tenant}/Templates/dashboard/none`, { displayName: "A", content: {} }),
    404,
  );
  assert.equal(await statusOf("DELETE", `${tenant}/Templates/dashboard/none`), 404);
  const stranger = await served.logIn("stranger@example.org");
  assert.equal(await statusOf("GET", `${tenant}/Templates/dashboard`, undefined, stranger), 404);
  assert.equal(await statusOf("POST", `${tenant}/Templates/dashboard`, template("a"), stranger), 404);
});

test("templates are added, replaced whole with a new revision, and removed", async () => {
  const list = `${tenant}/Templates/dashboard`;
  const added = await call("POST", list, template("main", { setAsDefault: true }));
  assert.equal(added.status, 201);
  assert.equal(added.headers.get("location"), `/1.0${list}/main`);
  assert.deepEqual(added.json, {
    id: "main",
    displayName: "Main",
    content: { a: 1 },
    revision: 1,
    isDefault: true,
  });
  assert.equal(await statusOf("POST", list, template("main")), 409);
  assert.equal(await statusOf("POST", `${tenant}/Templates/schema`, template("main")), 409);
  const replaced = await call("PUT", `${list}/main`, { displayName: "Other", content: {} });
  const after_ = { id: "main", displayName: "Other", content: {}, revision: 2, isDefault: true };
  assert.deepEqual(replaced.json, after_);
  assert.deepEqual((await call("GET", list)).json, [after_]);
  assert.deepEqual((await call("GET", `${tenant}/Templates/schema`)).json, []);
  const deleted = await call("DELETE", `${list}/main`);
  assert.equal((deleted.json as { title: string }).title, "Deleted");
  assert.deepEqual((await call("GET", list)).json, []);
});

test("templates for devices are there for all registers of the tenant, by type", async () => {
  const list = `${tenant}/DeviceTemplates/LIGHT`;
  assert.equal(await statusOf("POST", list, template("lamp", { setAsDefault: true })), 201);
  assert.equal(await statusOf("POST", list, template("strip")), 201);
  assert.equal(await statusOf("PUT", `${list}/strip`, { displayName: "Strip", content: {} }), 200);
  assert.equal(
    await statusOf("PUT", `${tenant}/DeviceTemplates/SOCKET/strip`, { displayName: "S", content: {} }),
    404,
  );
  const register = `/Registers/${hub.id}/Templates`;
  const [lights] = (await call("GET", register)).json as { type: string; templates: { id: string }[] }[];
  assert.equal(lights?.type, "LIGHT");
  assert.deepEqual(
    lights.templates.map(({ id }) => id),
    ["lamp", "strip"],
  );
  assert.deepEqual((await call("GET", `${register}/LIGHT`)).json, { ...lights, defaultTemplateId: "lamp" });
  assert.deepEqual((await call("GET", `${register}/none`)).json, {
    type: "none",
    defaultTemplateId: null,
    templates: [],
  });
  assert.equal(await statusOf("DELETE", `${list}/lamp`), 200);
  assert.equal(
    ((await call("GET", `${register}/LIGHT`)).json as { defaultTemplateId: null }).defaultTemplateId,
    null,
  );
});

test("a site uses the schemas and dashboards of its tenant, and no templates for devices", async () => {
  const groups = `/Subscriptions/${account}/ResourceGroups`;
  await call("POST", groups, { name: "homes" });
  const made = await call("POST", `${groups}/homes/Resources`, { name: "House", provider: "Vendor.Sites" });
  const site = `/Sites/${(made.json as { properties: { siteId: string } }).properties.siteId}/Templates`;
  await call("POST", `${tenant}/Templates/schema`, template("plan"));
  await call("POST", `${tenant}/DeviceTemplates/FAN`, template("fan"));
  const listed = (await call("GET", `${site}?templateType=schema`)).json as { id: string }[];
  assert.deepEqual(
    listed.map(({ id }) => id),
    ["plan"],
  );
  assert.deepEqual((await call("GET", `${site}/plan`)).json, listed[0]);
  assert.deepEqual((await call("GET", `${site}?templateType=dashboard`)).json, []);
  for (const [path, status] of [
    [`${site}?templateType=device`, 422],
    [site, 422],
    [`${site}/fan`, 404],
    [`${site}/none`, 404],
    [`${site}/constructor`, 404],
  ] as const)
    assert.equal(await statusOf("GET", path), status, path);
});
