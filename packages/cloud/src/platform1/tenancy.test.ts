import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { limits } from "@ledge/model";
import type { TestHub } from "../testdata/open-cloud.ts";
import { type Reply, Served } from "../http/test-served.ts";

let served: Served;
let hub: TestHub;
let owner: string;
let account: string;
let stranger: string;
before(async () => {
  ({ served, hub, owner } = await Served.withHub());
  account = served.accountId("owner@example.org");
  stranger = await served.logIn("stranger@example.org");
});
after(() => served.stop());

const call = (method: string, path: string, json?: unknown, token = owner): Promise<Reply> =>
  served.call(method, `/1.0${path}`, { token, ...(json !== undefined && { json }) });
const problem = ({
  headers,
  json,
}: Reply): { status: number; type: string; errors?: { field: string }[] } => {
  assert.equal(headers.get("content-type"), "application/problem+json");
  return json as { status: number; type: string };
};
const idsOf = ({ json }: Reply): string[] => (json as { data: { id: string }[] }).data.map(({ id }) => id);

describe("bad input", () => {
  test("is answered with problem details", async () => {
    const groups = `/Subscriptions/${account}/ResourceGroups`;
    for (const [method, path, body, status] of [
      ["POST", "/Subscriptions", "", 400],
      ["POST", "/Subscriptions", "{", 400],
      ["POST", "/Subscriptions", "[]", 422],
      ["POST", "/Subscriptions", "{}", 422],
      ["POST", "/Subscriptions", '{"displayName":""}', 422],
      ["POST", "/Subscriptions", `{"displayName":"${"x".repeat(limits.displayNameChars + 1)}"}`, 422],
      ["POST", "/Subscriptions", '{"displayName":"A","tags":{"a:b":"1"}}', 422],
      ["POST", "/Subscriptions", `{"displayName":"${"x".repeat(limits.graphBodyBytes)}"}`, 413],
      ["POST", groups, '{"name":"ab"}', 422],
      ["POST", groups, '{"name":"a/b/c"}', 422],
      ["POST", groups, '{"name":7}', 422],
      ["POST", groups, `{"name":"abc","location":"${"x".repeat(limits.locationChars + 1)}"}`, 422],
      ["PUT", "/Tenants/Active", '{"tenantId":""}', 422],
      ["PUT", "/Tenants/Active", `{"tenantId":"${"x".repeat(limits.tenantIdChars + 1)}"}`, 422],
      ["PUT", "/Tenants/Active", '{"tenantId":"unknown"}', 404],
      ["POST", "/Tenants", '{"displayName":"Mine"}', 403],
      ["GET", "/Subscriptions/unknown", undefined, 404],
      ["GET", "/Subscriptions/__proto__", undefined, 404],
      ["GET", `${groups}/constructor`, undefined, 404],
      ["GET", `${groups}/hubs/Resources/${hub.id}x`, undefined, 404],
      ["GET", `${groups}/hubs/Providers/Vendor.Sites/${hub.id}`, undefined, 404],
      ["GET", "/Subscriptions?pageSize=0", undefined, 422],
      ["GET", `/Subscriptions?pageSize=${limits.pageSizeMost + 1}`, undefined, 422],
      ["GET", "/Subscriptions?pageSize=many", undefined, 422],
      ["GET", "/Subscriptions?next=forged", undefined, 422],
      ["DELETE", `/Subscriptions/${account}`, undefined, 409],
      ["DELETE", `${groups}/hubs`, undefined, 409],
      ["DELETE", `${groups}/hubs/Providers/Vendor.Hubs/${hub.id}`, undefined, 409],
      ["GET", "/Nothing", undefined, 404],
      ["PATCH", "/Subscriptions", "{}", 404],
    ] as const) {
      const reply = await served.call(method, `/1.0${path}`, {
        token: owner,
        ...(body !== undefined && { body }),
      });
      assert.equal(reply.status, status, `${method} ${path} ${body?.slice(0, 40)}: ${reply.text}`);
      assert.equal(problem(reply).status, status);
    }
  });

  test("names the field, and the kind of error", async () => {
    const reply = await call("POST", "/Subscriptions", { displayName: 7 });
    assert.deepEqual(
      problem(reply).errors?.map(({ field }) => field),
      ["displayName"],
    );
    assert.equal(problem(reply).type, "/problems/invalid");
    assert.equal(problem(await call("GET", "/Subscriptions/none")).type, "/problems/not_found");
  });

  test("without a token is 401, before anything else is looked at", async () => {
    for (const token of ["", "nonsense"]) {
      const reply = await served.call("POST", "/1.0/Subscriptions", { token, body: "{" });
      assert.equal(problem(reply).status, 401);
    }
  });
});

test("every answer says that the API is deprecated and until when it is there", async () => {
  for (const reply of [
    await call("GET", "/Tenants"),
    await call("GET", "/Subscriptions/none"),
    await call("GET", "/x"),
  ]) {
    assert.equal(reply.headers.get("deprecation"), "@1767225600");
    assert.equal(reply.headers.get("sunset"), "Thu, 31 Dec 2026 23:59:59 GMT");
    for (const rel of ["deprecation", "sunset", "successor-version"])
      assert.ok(reply.headers.get("link")?.includes(`rel="${rel}"`), rel);
  }
});

test("the personal tenant is there from the first call, is active, and is found by its id in any case", async () => {
  const tenant = { id: `/Tenant/${account}`, tenantId: account, displayName: "Personal" };
  assert.deepEqual((await call("GET", "/Tenants")).json, {
    data: [tenant],
    links: { next: null, prev: null },
  });
  for (const path of ["/Tenants/Active", `/tenants/${account}`, `/TENANT/${account}`])
    assert.deepEqual((await call("GET", path)).json, tenant);
  assert.equal((await call("GET", `/Tenants/${account}`, undefined, stranger)).status, 404);
});

test("a hub is a resource of its owner, for accounts that may read the hub", async () => {
  const path = `/Subscriptions/${account}/ResourceGroups/hubs`;
  const listed = await call("GET", `${path}/Resources`);
  const id = `${path}/Providers/Vendor.Hubs/${hub.id}`;
  assert.deepEqual(idsOf(listed), [id]);
  const found = await call("GET", id.toLowerCase());
  assert.deepEqual(found.json, (listed.json as { data: object[] }).data[0]);
  assert.deepEqual((found.json as { properties: object }).properties, { hubId: hub.id });
  assert.equal((await call("GET", id, undefined, stranger)).status, 404);
});

test("subscriptions and groups are created, found in any case, listed by pages, and deleted with all in them", async () => {
  const created = await call("POST", "/Subscriptions", { displayName: "Offices", tags: { city: "Turku" } });
  assert.equal(created.status, 201);
  const { id, subscriptionId, ...rest } = created.json as { id: string; subscriptionId: string };
  assert.deepEqual(rest, { displayName: "Offices", tags: { city: "Turku" } });
  assert.equal(created.headers.get("location"), `/1.0${id}`);
  assert.deepEqual((await call("GET", id)).json, created.json);
  assert.deepEqual(
    idsOf(await call("GET", "/subscriptions")).toSorted(),
    [id, `/Subscriptions/${account}`].toSorted(),
  );

  for (const name of ["North wing", "South", "Middle"]) {
    const reply = await call("POST", `${id}/ResourceGroups`, { name, location: "Turku" });
    assert.equal(reply.status, 201);
    const place = reply.headers.get("location") ?? "";
    assert.deepEqual((await served.call("GET", place, { token: owner })).json, reply.json);
  }
  assert.equal((await call("POST", `${id}/ResourceGroups`, { name: "SOUTH" })).status, 409);
  const first = await call("GET", `${id}/ResourceGroups?pageSize=2`);
  const { next } = (first.json as { links: { next: string } }).links;
  const second = await call("GET", `${id}/ResourceGroups?pageSize=2&next=${next}`);
  const names = [...idsOf(first), ...idsOf(second)].map((each) => each.split("/").at(-1));
  assert.deepEqual(names, ["Middle", "North wing", "South"]);

  const deleted = await call("DELETE", `${id}/resourcegroups/NORTH%20WING`);
  assert.equal(deleted.status, 200);
  const { title, instance } = problem(deleted) as unknown as { title: string; instance: string };
  assert.deepEqual([title, instance], ["Deleted", `/1.0${id}/ResourceGroups/NORTH%20WING`]);
  assert.equal((await call("GET", `${id}/ResourceGroups/North%20wing`)).status, 404);
  assert.equal((await call("DELETE", id)).status, 200);
  assert.equal((await call("GET", id)).status, 404);
  assert.equal((await call("DELETE", `/Subscriptions/${subscriptionId}`)).status, 404);
});

test("a caller that switches the active tenant sees only what stands in it", async () => {
  const { cloud } = served.test;
  const origin = "console";
  const create = { type: "CREATE_TENANT", id: "acme", displayName: "Acme", owner: account };
  assert.ok((await cloud.kernel.submit({ commands: [create], origin })).accepted);
  assert.equal((await call("PUT", "/Tenants/Active", { tenantId: "acme" })).status, 200);
  assert.equal(((await call("GET", "/Tenants/Active")).json as { tenantId: string }).tenantId, "acme");
  assert.deepEqual(idsOf(await call("GET", "/Subscriptions")), []);
  assert.equal((await call("GET", `/Subscriptions/${account}`)).status, 404);
  assert.equal((await call("POST", "/Subscriptions", { displayName: "Ours" })).status, 201);
  for (const [tenant, status] of [
    [account, 404],
    ["acme", 200],
  ] as const) {
    const template = { id: `of-${tenant}`, displayName: "Main", content: {} };
    const list = `/Tenants/${tenant}/Templates/dashboard`;
    assert.equal((await call("GET", list)).status, status);
    assert.equal((await call("POST", list, template)).status, status === 200 ? 201 : status);
    assert.equal((await call("DELETE", `${list}/of-${tenant}`)).status, status);
    assert.equal((await call("GET", `/Tenants/${tenant}`)).status, 200);
  }
  assert.equal((await call("PUT", "/Tenants/Active", { tenantId: account }, stranger)).status, 404);
  assert.equal((await call("PUT", "/tenants/active", { tenantId: account })).status, 200);
  assert.deepEqual(idsOf(await call("GET", "/Subscriptions")), [`/Subscriptions/${account}`]);
});

test("an operation of others is found in the tenant in which it works, and one's own in each", async () => {
  const principal = served.accountId("stranger@example.org");
  const role = { tenantId: account, scope: `/Tenant/${account}`, principal, role: "contributor" };
  assert.equal((await served.graph(owner, { type: "AssignRoleTenantCommand", ...role })).error, undefined);
  const place = { subscriptionId: account, resourceGroupName: "Brief" };
  assert.equal(
    (await call("POST", `/Subscriptions/${account}/ResourceGroups`, { name: "Brief" })).status,
    201,
  );
  const begun = await served.graph(owner, { type: "DeleteResourceGroupCommand", ...place });
  const path = `/Operations/${(begun["operation"] as { operationId: string }).operationId}`;
  const statusFor = async (token: string): Promise<number> =>
    (await call("GET", path, undefined, token)).status;
  const enter = async (tenantId: string, token: string): Promise<void> =>
    assert.equal((await call("PUT", "/Tenants/Active", { tenantId }, token)).status, 200);
  assert.equal(await statusFor(stranger), 404);
  await enter(account, stranger);
  assert.equal(await statusFor(stranger), 200);
  await enter(principal, stranger);
  assert.equal(await statusFor(stranger), 404);
  await enter("acme", owner);
  assert.equal(await statusFor(owner), 200);
  await enter(account, owner);
});

test("names and tags that people give are sealed on disk", async () => {
  await call("POST", "/Subscriptions", { displayName: "canary-name", tags: { canary: "canary-tag" } });
  await served.test.cloud.kernel.sync();
  for (const text of ["canary-name", "canary-tag"]) assert.equal(served.test.onDisk(text), false);
});
