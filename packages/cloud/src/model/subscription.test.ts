import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { accountAdded, givenCloud } from "./test-given.ts";

const people = [accountAdded("ada"), accountAdded("eve")];
const tenant = { type: "TenantCreated", id: "acme", displayName: "Acme", owner: "ada" };
const created = {
  type: "SubscriptionCreated",
  id: "sub",
  tenant: "acme",
  displayName: "Sub",
  tags: { a: "1" },
};
const group = (name: string, id = "sub") => ({
  type: "ResourceGroupCreated",
  id,
  name,
  location: "",
  tags: {},
});
const makeGroup = (name: string, id = "sub") => ({
  type: "CREATE_RESOURCE_GROUP",
  id,
  name,
  location: "",
  tags: {},
});
const resource = (name: string) => {
  return { group: "Main", name, provider: "Vendor.Sites", displayName: name, tags: {}, itemId: `${name}-1` };
};
const added = (name: string) => ({ type: "ResourceAdded", id: "sub", ...resource(name) });
const base = [...people, tenant, created];

test("a subscription stands in a tenant that exists, and up to the limit", () => {
  const create = {
    type: "CREATE_SUBSCRIPTION",
    id: "sub",
    tenant: "acme",
    displayName: "Sub",
    tags: { a: "1" },
  };
  givenCloud(people).when(create).then({ rejected: "not-found", field: "tenantId" });
  givenCloud(base).when(create).then({ rejected: "taken", field: "name" });
  givenCloud(people)
    .when({ ...create, tenant: "ada" })
    .then([{ ...created, tenant: "ada" }]);
  const many = Array.from({ length: limits.tenantSubscriptions }, (_, index) => ({
    ...created,
    id: `s${index}`,
  }));
  givenCloud([...people, tenant, ...many])
    .when(create)
    .then({ rejected: "limit", field: "limit" });
  givenCloud([...people, tenant, ...many.slice(1)])
    .when(create)
    .then([created]);
});

test("refuses names that cannot stand in paths", () => {
  const { resourceNameMinChars, resourceNameMaxChars } = limits;
  const wrong = ["a/b", "a\\b", "a?b", "a#b", "a%b", "a\u0000b", "a\u0085b", " abc", "abc ", "ab\ud800"];
  for (const name of [...wrong, "x".repeat(resourceNameMinChars - 1), "x".repeat(resourceNameMaxChars + 1)])
    givenCloud(base).when(makeGroup(name)).then({ rejected: "invalid", field: "name" });
  for (const name of [
    "x".repeat(resourceNameMinChars),
    "x".repeat(resourceNameMaxChars),
    "Lände ö 1",
    "__proto__",
  ])
    givenCloud(base)
      .when(makeGroup(name))
      .then([group(name)]);
});

test("a name of a group is unique in its subscription without case, also one that objects inherit", () => {
  for (const [there, again] of [
    ["Main", "mAIN"],
    ["constructor", "constructor"],
  ] as const) {
    const world = givenCloud([...base, group(there)]);
    world.when(makeGroup(again)).then({ rejected: "taken", field: "name" });
  }
  givenCloud(base)
    .when(makeGroup("constructor"))
    .then([group("constructor")]);
});

test("the personal subscription needs no event, keeps its hubs apart, and stays", () => {
  const world = givenCloud(people);
  const after = world.when(makeGroup("Main", "ada")).then([group("Main", "ada")]);
  assert.equal(after.state("subscription", "ada")?.tenant, "ada");
  world.when(makeGroup("HUBS", "ada")).then({ rejected: "taken", field: "name" });
  for (const command of [
    { type: "DELETE_SUBSCRIPTION", id: "ada" },
    { type: "DELETE_RESOURCE_GROUP", id: "ada", name: "hubs" },
    { type: "ADD_RESOURCE", id: "ada", ...resource("one"), group: "hubs" },
  ]) {
    const field = command.type === "DELETE_SUBSCRIPTION" ? "subscriptionId" : "resourceGroupName";
    world.when(command).then({ rejected: "wrong-state", field });
  }
  world.when(makeGroup("Main", "nobody")).then({ rejected: "not-found", field: "subscriptionId" });
});

test("a resource has a name of its own in its group, up to the limit", () => {
  const world = givenCloud([...base, group("Main"), added("House")]);
  const add = { type: "ADD_RESOURCE", id: "sub", ...resource("House") };
  world.when({ ...add, name: "HOUSE" }).then({ rejected: "taken", field: "name" });
  world.when({ ...add, name: "a/b" }).then({ rejected: "invalid", field: "name" });
  world.when({ ...add, group: "none" }).then({ rejected: "not-found", field: "resourceGroupName" });
  const many = Array.from({ length: limits.groupResources }, (_, index) => added(`R${index}`));
  const full = givenCloud([...base, group("Main"), ...many]);
  full.when(add).then({ rejected: "limit", field: "limit" });
  const room = givenCloud([...base, group("Main"), ...many.slice(1)]);
  room.when({ ...add, group: "MAIN" }).then([added("House")]);
});

test("a subscription or group with something in it stays, and one that goes takes its roles along", () => {
  const scope = "/Subscriptions/sub/ResourceGroups/main";
  const role = { type: "RoleAssigned", id: "acme", scope, principal: "eve", role: "reader" };
  const world = givenCloud([...base, group("Main"), role, added("House")]);
  const deleteGroup = { type: "DELETE_RESOURCE_GROUP", id: "sub", name: "MAIN" };
  world
    .when({ type: "DELETE_SUBSCRIPTION", id: "sub" })
    .then({ rejected: "wrong-state", field: "subscriptionId" });
  world.when(deleteGroup).then({ rejected: "wrong-state", field: "resourceGroupName" });
  world
    .when({ type: "REMOVE_RESOURCE", id: "sub", group: "Main", name: "none" })
    .then({ rejected: "not-found", field: "resourceName" });
  const removedHouse = { type: "ResourceRemoved", id: "sub", group: "Main", name: "House" };
  world.when({ type: "REMOVE_RESOURCE", id: "sub", group: "main", name: "house" }).then([removedHouse]);
  const empty = givenCloud([...base, group("Main"), role]);
  const after = empty.when(deleteGroup).then([
    { type: "ResourceGroupDeleted", id: "sub", name: "Main" },
    { ...role, type: "RoleRemoved" },
  ]);
  assert.equal(after.state("tenant", "acme")?.roles.length, 1);
});

test("an account is not forgotten while something stands in its personal tenant", () => {
  const forget = { type: "FORGET_ACCOUNT", id: "ada" };
  givenCloud([...people, group("Main", "ada")])
    .when(forget)
    .then({ rejected: "wrong-state" });
  givenCloud([...people, { ...created, tenant: "ada" }])
    .when(forget)
    .then({ rejected: "wrong-state" });
  const gone = { type: "ResourceGroupDeleted", id: "ada", name: "Main" };
  givenCloud([...people, group("Main", "ada"), gone])
    .when(forget)
    .then([{ type: "AccountForgotten", id: "ada" }]);
});
