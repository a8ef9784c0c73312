import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { accountAdded, givenCloud } from "./test-given.ts";

const base = [accountAdded("ada")];
const said = { templateType: "dashboard", deviceType: null, displayName: "Main", content: { a: 1 } };
const set = (templateId: string, more: object = {}) => {
  return { type: "TemplateSet", id: "ada", templateId, ...said, revision: 1, isDefault: false, ...more };
};
const add = (templateId: string, more: object = {}) => {
  return { type: "ADD_TEMPLATE", id: "ada", templateId, ...said, isDefault: false, ...more };
};
const replace = (templateId: string, more: object = {}) => {
  return { type: "REPLACE_TEMPLATE", id: "ada", templateId, ...said, ...more };
};

test("an id of a template is unique in its tenant, whatever the template is for", () => {
  const world = givenCloud([...base, set("main")]);
  world.when(add("main")).then({ rejected: "taken", field: "template.id" });
  world
    .when(add("main", { templateType: "device", deviceType: "LIGHT" }))
    .then({ rejected: "taken", field: "template.id" });
  world.when(add("constructor")).then([set("constructor")]);
  givenCloud([]).when(add("main")).then({ rejected: "not-found", field: "tenantId" });
});

test("a template holds as much as its limit, and a tenant as many", () => {
  const room = limits.templateBytes - JSON.stringify({ text: "" }).length;
  const [fits, large] = [{ text: "x".repeat(room) }, { text: "x".repeat(room + 1) }];
  givenCloud(base)
    .when(add("main", { content: fits }))
    .then([set("main", { content: fits })]);
  givenCloud(base)
    .when(add("main", { content: large }))
    .then({ rejected: "invalid", field: "template.content" });
  const many = Array.from({ length: limits.tenantTemplates }, (_, index) => set(`t${index}`));
  givenCloud([...base, ...many])
    .when(add("main"))
    .then({ rejected: "limit", field: "limit" });
});

test("a replacement counts the revision, and keeps being the default unless it says otherwise", () => {
  const world = givenCloud([...base, set("main", { isDefault: true })]);
  const content = { b: 2 };
  world.when(replace("main", { content })).then([set("main", { content, revision: 2, isDefault: true })]);
  world.when(replace("main", { isDefault: false })).then([set("main", { revision: 2 })]);
  world.when(replace("none")).then({ rejected: "not-found", field: "templateId" });
  world
    .when(replace("main", { templateType: "schema" }))
    .then({ rejected: "not-found", field: "templateId" });
});

test("of the templates for one thing one is the default, until it is removed", () => {
  const device = (deviceType: string) => ({ templateType: "device", deviceType, isDefault: true });
  const world = givenCloud([...base, set("a", device("LIGHT")), set("b", device("SOCKET")), set("c")]);
  const after = world.when(add("d", device("LIGHT"))).then([set("d", device("LIGHT"))]);
  const { templates = {} } = after.state("templates", "ada") ?? {};
  const defaults = Object.values(templates).filter(({ isDefault }) => isDefault);
  assert.deepEqual(defaults.map(({ id }) => id).toSorted(), ["b", "d"]);
  const remove = { type: "REMOVE_TEMPLATE", id: "ada", templateId: "b", templateType: "device" };
  world.when({ ...remove, deviceType: "LIGHT" }).then({ rejected: "not-found", field: "templateId" });
  const left = world
    .when({ ...remove, deviceType: "SOCKET" })
    .then([{ type: "TemplateRemoved", id: "ada", templateId: "b" }]);
  assert.deepEqual(Object.keys(left.state("templates", "ada")?.templates ?? {}).toSorted(), ["a", "c"]);
});

test("an account is not forgotten while templates stand in its personal tenant", () => {
  const forget = { type: "FORGET_ACCOUNT", id: "ada" };
  givenCloud([...base, set("main")])
    .when(forget)
    .then({ rejected: "wrong-state" });
  const removed = { type: "TemplateRemoved", id: "ada", templateId: "main" };
  givenCloud([...base, set("main"), removed])
    .when(forget)
    .then([{ type: "AccountForgotten", id: "ada" }]);
});
