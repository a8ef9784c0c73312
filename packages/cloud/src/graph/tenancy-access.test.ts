// Who may do what in a tenant: every type about one, as every kind of caller.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "@ledge/testkit";
import { type Message, Served } from "../http/test-served.ts";
import type { Right } from "./rights.ts";
import type { Row } from "./row.ts";
import { graphRows } from "./rows.ts";
import { leastMessage } from "./test-messages.ts";
import { rightTo } from "./test-rights.ts";

let served: Served;
/** Fields that name what the messages are about. */
let known: Record<string, unknown>;
const tokens = new Map<string, string>();
const ids = new Map<string, string>();

const send = (who: string, type: string, fields: object = {}) =>
  served.graph(tokens.get(who) ?? assert.fail(who), { type, ...fields });
const fine = async (...given: Parameters<typeof send>): Promise<Record<string, unknown>> => {
  const result = await send(...given);
  assert.equal(result.error, undefined, JSON.stringify(result));
  return result;
};

before(async () => {
  served = await Served.start();
  for (const who of ["owner", "member", "elsewhere", "stranger"]) {
    tokens.set(who, await served.logIn(`${who}@example.org`));
    ids.set(who, served.accountId(`${who}@example.org`));
  }
  const owner = ids.get("owner") ?? "";
  for (const [id, of] of [
    ["acme", owner],
    ["other", ids.get("elsewhere")],
  ]) {
    const command = { type: "CREATE_TENANT", id, displayName: "Acme", owner: of };
    assert.ok((await served.test.cloud.kernel.submit({ commands: [command], origin: "console" })).accepted);
  }
  const { subscription } = await fine("owner", "CreateSubscriptionCommand", {
    tenantId: "acme",
    displayName: "Sub",
  });
  const { subscriptionId } = subscription as { subscriptionId: string };
  const resourceGroupName = "homes";
  await fine("owner", "CreateResourceGroupCommand", { subscriptionId, name: resourceGroupName });
  const place = { subscriptionId, resourceGroupName };
  const made = await fine("owner", "CreateResourceCommand", {
    ...place,
    name: "House",
    provider: "Vendor.Sites",
  });
  const { siteId } = (made["resource"] as { properties: { siteId: string } }).properties;
  const meters = { ...place, name: "Meters", provider: "Vendor.DeviceRegister" };
  const { resource } = await fine("owner", "CreateResourceCommand", meters);
  const { registerId } = (resource as { properties: { registerId: string } }).properties;
  known = {
    tenantId: "acme",
    ...place,
    resourceName: "House",
    siteId,
    deviceRegisterId: registerId,
    provider: "Vendor.Sites",
    scope: "/Tenant/acme",
  };
});
after(() => served.stop());

const scopes = [
  "tenant",
  "anyTenant",
  "subscription",
  "resourceGroup",
  "resource",
  "site",
  "register",
] as const;
type Scope = (typeof scopes)[number];
const about = graphRows.filter(({ scope }) => (scopes as readonly string[]).includes(scope));
const messageOf = (row: Row): Message => leastMessage(row, known);

/** The field that a gate names when it refuses, by scope. */
const gates: Readonly<Record<Scope, string>> = {
  tenant: "tenantId",
  anyTenant: "tenantId",
  subscription: "subscriptionId",
  resourceGroup: "resourceGroupName",
  resource: "resourceName",
  site: "siteId",
  register: "deviceRegisterId",
};

/** Fails unless a caller with these rights gets what the rights say of a type. What changes is tried refused only. */
async function check(who: string, row: Row, rights: string): Promise<void> {
  const right = rightTo(row.type);
  // Who reads a tenant's register may send commands as far as the hubs themselves allow it.
  const isGiven = rights.includes(row.scope === "register" && right === "C" ? "R" : right);
  if (isGiven && row.kind === "command") return;
  const { error } = await send(who, row.type, messageOf(row));
  const expected = isGiven ? undefined : rights.includes("R") ? "E_FORBIDDEN" : "E_NOT_FOUND";
  const isGate = error?.details?.["field"] === gates[row.scope as Scope];
  if (expected === undefined) assert.ok(!isGate, `${row.type} as ${who}: ${JSON.stringify(error)}`);
  else assert.deepEqual([error?.code, isGate], [expected, true], `${row.type} as ${who}`);
}

/** Lets a member have a role while something is checked. */
async function withRole(scope: string, role: string, checking: () => Promise<void>): Promise<void> {
  const given = { tenantId: "acme", scope, principal: ids.get("member"), role };
  await fine("owner", "AssignRoleTenantCommand", given);
  await checking();
  await fine("owner", "RemoveRoleTenantCommand", given);
}

/** Lets a member have a role in something that is gone after it. */
async function withRoleThatEnds(scope: string, deleting: () => Promise<void>): Promise<void> {
  const given = { tenantId: "acme", scope, principal: ids.get("member"), role: "contributor" };
  await fine("owner", "AssignRoleTenantCommand", given);
  await deleting();
}

const gives = { reader: "R", contributor: "RCA", owner: "RCAO" } as const;

test("there are types of every scope and right", () => {
  const found = new Set(about.map(({ scope, right }) => `${scope} ${right}`));
  for (const scope of scopes)
    for (const right of ["R", "A"] satisfies Right[])
      if (gates[scope] !== "tenantId") assert.ok(found.has(`${scope} ${right}`));
  assert.ok(about.length >= 30);
});

test("an account without a role in a tenant learns nothing of it, also the owner of another tenant", async () => {
  for (const who of ["stranger", "elsewhere", "member"]) for (const row of about) await check(who, row, "");
});

describe("a role", () => {
  for (const [role, rights] of Object.entries(gives)) {
    test(`${role} in a whole tenant gives ${rights} to all in it`, async () => {
      await withRole("/Tenant/acme", role, async () => {
        for (const row of about) await check("member", row, rights);
      });
    });

    test(`${role} in one resource gives ${rights} to it alone, and tells that there is its tenant`, async () => {
      const { subscriptionId } = known;
      const scope = `/Subscriptions/${String(subscriptionId)}/ResourceGroups/HOMES/Providers/vendor.sites/house`;
      await withRole(scope, role, async () => {
        for (const row of about) {
          const isBelow = row.scope === "resource" || row.scope === "site";
          await check("member", row, isBelow ? rights : gates[row.scope as Scope] === "tenantId" ? "R" : "");
        }
      });
    });
  }

  test("never reaches into a home", async () => {
    const { hub } = await served.claimed("owner@example.org");
    const principal = ids.get("member");
    const tenantId = ids.get("owner") ?? "";
    const role = { tenantId, scope: `/Tenant/${tenantId}`, principal, role: "owner" };
    await fine("owner", "AssignRoleTenantCommand", role);
    const group = { subscriptionId: tenantId, resourceGroupName: "hubs" };
    assert.equal(((await fine("owner", "ListResourceQuery", group))["data"] as object[]).length, 1);
    assert.deepEqual((await fine("member", "ListResourceQuery", group))["data"], []);
    for (const [type, fields] of [
      ["GetResourceQuery", { ...group, resourceName: hub.id }],
      ["GetHubQuery", { hubId: hub.id }],
      ["ListDevicesDeviceRegisterQuery", { deviceRegisterId: hub.id }],
      ["ListTemplatesDeviceRegisterQuery", { deviceRegisterId: hub.id }],
    ] as const)
      assert.equal((await send("member", type, fields)).error?.code, "E_NOT_FOUND", type);
  });

  test("ends with the account", async () => {
    const gone = await served.logIn("gone@example.org");
    const principal = served.accountId("gone@example.org");
    await fine("owner", "AssignRoleTenantCommand", {
      tenantId: "acme",
      scope: "/Tenant/acme",
      principal,
      role: "reader",
    });
    assert.equal((await served.graph(gone, { type: "GetTenantQuery", tenantId: "acme" })).error, undefined);
    assert.equal(await served.test.cloud.sharing.forget(principal, "console"), undefined);
    const { roles } = await fine("owner", "ListRolesTenantQuery", { tenantId: "acme" });
    assert.ok((roles as { principal: string }[]).every((one) => one.principal !== principal));
  });
});

test("a role in one resource is enough to delete it, and takes nothing else along", async () => {
  const { subscriptionId, resourceGroupName } = known;
  const place = { subscriptionId, resourceGroupName };
  const house = { ...place, name: "Shed", provider: "Vendor.Sites" };
  const { resource } = await fine("owner", "CreateResourceCommand", house);
  const { id } = resource as { id: string };
  await withRoleThatEnds(id, async () => {
    const { operation } = await fine("member", "DeleteResourceCommand", { ...place, resourceName: "shed" });
    const { operationId } = operation as { operationId: string };
    const stateNow = (): string | undefined => served.test.cloud.kernel.get("operation", operationId)?.state;
    await until("the end", () => stateNow() === "Succeeded" || stateNow() === "Failed");
    assert.equal(stateNow(), "Succeeded");
  });
  const { roles } = await fine("owner", "ListRolesTenantQuery", { tenantId: "acme" });
  assert.ok(!(roles as { scope: string }[]).some(({ scope }) => scope === id));
  const { data } = await fine("owner", "ListResourceQuery", place);
  assert.deepEqual(
    (data as { name: string }[]).map(({ name }) => name),
    ["House", "Meters"],
  );
});

test("the operation of a deletion is read by its owner and the administrators of its place, and by nobody else", async () => {
  const { subscription } = await fine("owner", "CreateSubscriptionCommand", {
    tenantId: "acme",
    displayName: "Gone",
  });
  const { subscriptionId } = subscription as { subscriptionId: string };
  await fine("owner", "CreateResourceGroupCommand", { subscriptionId, name: "abc" });
  const deletion = await fine("owner", "DeleteResourceGroupCommand", {
    subscriptionId,
    resourceGroupName: "abc",
  });
  const { operationId } = deletion["operation"] as { operationId: string };
  const codeFor = async (who: string): Promise<string | undefined> =>
    (await send(who, "GetOperationQuery", { operationId })).error?.code;
  assert.equal(await codeFor("owner"), undefined);
  for (const who of ["stranger", "member", "elsewhere"]) assert.equal(await codeFor(who), "E_NOT_FOUND");
  await withRole("/Tenant/acme", "contributor", async () => assert.equal(await codeFor("member"), undefined));
  await withRole("/Tenant/acme", "reader", async () => assert.equal(await codeFor("member"), "E_NOT_FOUND"));
});
