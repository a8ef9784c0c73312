import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { accountAdded, givenCloud } from "./test-given.ts";

const people = [accountAdded("ada"), accountAdded("eve"), accountAdded("bob")];
const created = { type: "TenantCreated", id: "acme", displayName: "Acme", owner: "ada" };
const role = (principal: string, name = "reader", scope = "/Tenant/acme") => ({
  scope,
  principal,
  role: name,
});
const assigned = (...given: Parameters<typeof role>) => ({
  type: "RoleAssigned",
  id: "acme",
  ...role(...given),
});
const removed = (...given: Parameters<typeof role>) => ({
  type: "RoleRemoved",
  id: "acme",
  ...role(...given),
});

test("refuses a tenant whose id is an account's or taken, and one without a known owner", () => {
  const create = { type: "CREATE_TENANT", id: "acme", displayName: "Acme", owner: "ada" };
  givenCloud([...people, created])
    .when(create)
    .then({ rejected: "wrong-state", field: "tenantId" });
  givenCloud(people)
    .when({ ...create, id: "eve" })
    .then({ rejected: "wrong-state", field: "tenantId" });
  givenCloud([]).when(create).then({ rejected: "not-found", field: "owner" });
});

test("a new tenant has its owner", () => {
  const after = givenCloud(people)
    .when({ type: "CREATE_TENANT", id: "acme", displayName: "Acme", owner: "ada" })
    .then([created]);
  assert.deepEqual(after.state("tenant", "acme")?.roles, [role("ada", "owner")]);
});

test("refuses roles of unknown accounts, in parts of other tenants and in an unknown tenant", () => {
  const world = givenCloud([
    ...people,
    created,
    { type: "SubscriptionCreated", id: "other", tenant: "else", displayName: "Other", tags: {} },
    { type: "SubscriptionCreated", id: "own", tenant: "acme", displayName: "Own", tags: {} },
  ]);
  const assign = { type: "ASSIGN_ROLE", id: "acme", ...role("eve") };
  world.when({ ...assign, principal: "nobody" }).then({ rejected: "not-found", field: "principal" });
  for (const scope of [
    "",
    "nonsense",
    "/Tenant/else",
    "/Subscriptions/other",
    "/Subscriptions/ada",
    "/Subscriptions/own/ResourceGroups/none",
    "/Subscriptions/own/ResourceGroups/constructor",
    "/Subscriptions/own/ResourceGroups/a/Providers/Vendor.Sites/b",
    `/Subscriptions/${"x".repeat(limits.resourceIdChars)}`,
  ])
    world.when({ ...assign, scope }).then({ rejected: "not-found", field: "scope" });
  world.when({ ...assign, id: "none" }).then({ rejected: "not-found", field: "tenantId" });
  world
    .when({ ...assign, scope: "/subscriptions/own" })
    .then([assigned("eve", "reader", "/subscriptions/own")]);
});

test("the same role twice changes nothing, whatever the case of its scope", () => {
  const again = { type: "ASSIGN_ROLE", id: "acme", ...role("eve", "reader", "/tenant/ACME".toLowerCase()) };
  givenCloud([...people, created, assigned("eve")])
    .when(again)
    .then([]);
});

test("a tenant has no more roles than its limit", () => {
  const many = Array.from({ length: limits.tenantRoles - 1 }, (_, index) => assigned(`p${index}`));
  const world = givenCloud([...people, created, ...many]);
  world.when({ type: "ASSIGN_ROLE", id: "acme", ...role("eve") }).then({ rejected: "limit", field: "limit" });
});

test("a tenant keeps an owner, and a personal one needs none", () => {
  const world = givenCloud([...people, created]);
  const remove = { type: "REMOVE_ROLE", id: "acme" };
  world.when({ ...remove, ...role("ada", "owner") }).then({ rejected: "wrong-state", field: "role" });
  world.when({ ...remove, ...role("eve") }).then({ rejected: "not-found", field: "principal" });
  const drop = { type: "REMOVE_PRINCIPAL", id: "acme", principal: "ada" };
  world.when(drop).then({ rejected: "wrong-state", field: "role" });
  const two = givenCloud([...people, created, assigned("eve", "owner"), assigned("ada")]);
  two.when(drop).then([removed("ada", "owner"), removed("ada")]);
  const ofAda = { ...role("eve", "owner", "/Tenant/ada") };
  const shared = givenCloud([...people, { type: "RoleAssigned", id: "ada", ...ofAda }]);
  const after = shared
    .when({ type: "REMOVE_ROLE", id: "ada", ...ofAda })
    .then([{ type: "RoleRemoved", id: "ada", ...ofAda }]);
  assert.deepEqual(after.state("tenant", "ada")?.roles, []);
});
