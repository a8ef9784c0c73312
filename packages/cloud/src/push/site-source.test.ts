import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "@ledge/testkit";
import { Served } from "../http/test-served.ts";
import type { Push } from "./pushes.ts";

let served: Served;
let owner: string;
let reader: string;
let tenantId: string;
let scope: string;
let siteId: string;
before(async () => {
  served = await Served.start();
  owner = await served.logIn("owner@example.org");
  reader = await served.logIn("reader@example.org");
  tenantId = served.accountId("owner@example.org");
  const of = { subscriptionId: tenantId, resourceGroupName: "homes" };
  await send(owner, "CreateResourceGroupCommand", { subscriptionId: tenantId, name: "homes" });
  const made = await send(owner, "CreateResourceCommand", { ...of, name: "House", provider: "Vendor.Sites" });
  const resource = made["resource"] as { id: string; properties: { siteId: string } };
  ({ siteId } = resource.properties);
  scope = resource.id;
});
after(() => served.stop());

const send = (token: string, type: string, fields: object) => served.graph(token, { type, ...fields });
const subscribe = (token: string) => send(token, "SubscribeSiteCommand", { siteId, sessionId: "s" });
const seen = async (token: string): Promise<string[]> =>
  (await served.fetched(token, "s", 1)).flatMap((push: Push) => {
    if (push.type === "ReleasedSitePush") return [`released: ${push.reason}`];
    if (push.type !== "EntitySitePush") return [];
    const from = push.movedFrom === undefined ? "" : ` from ${push.movedFrom}`;
    return [push.removed ? `${push.path} removed` : `${push.path}${from}`];
  });

test("a site is watched by who may read it: its entities now, and each that changes", async () => {
  assert.equal((await subscribe(reader)).error?.code, "E_NOT_FOUND");
  for (const [parentPath, name] of [
    ["", "a"],
    ["a", "b"],
  ])
    await send(owner, "CreateEntitySiteCommand", { siteId, parentPath, entity: { type: "floor", name } });
  await subscribe(owner);
  assert.deepEqual(await seen(owner), ["a", "a/b"]);
  await send(owner, "CreateEntitySiteCommand", { siteId, entity: { type: "floor", name: "c" } });
  const move = { siteId, path: "a/b", entity: { changeParentPath: "c" } };
  await send(owner, "UpdateEntitySiteCommand", move);
  assert.deepEqual((await seen(owner)).toSorted(), ["a/b removed", "c", "c/b from a/b"]);
  await send(owner, "UnsubscribeSiteCommand", { siteId, sessionId: "s" });
  await send(owner, "DeleteEntitySiteCommand", { siteId, path: "c/b" });
  assert.deepEqual(await seen(owner), []);
});

test("an account that loses the role to read a site is released, and so are those that watch a deleted one", async () => {
  const principal = served.accountId("reader@example.org");
  const role = { tenantId, scope, principal, role: "reader" };
  await send(owner, "AssignRoleTenantCommand", role);
  for (const token of [owner, reader]) assert.equal((await subscribe(token)).error, undefined);
  assert.deepEqual(await seen(reader), ["a", "c"]);
  await send(owner, "RemoveRoleTenantCommand", role);
  await send(owner, "UpdateEntitySiteCommand", { siteId, path: "a", entity: { displayName: "A" } });
  assert.deepEqual(await seen(reader), ["released: your access has ended"]);
  const of = { subscriptionId: tenantId, resourceGroupName: "homes", resourceName: "House" };
  assert.equal((await send(owner, "DeleteResourceCommand", of)).error, undefined);
  await until("the deletion", () => served.test.cloud.kernel.get("site", siteId) === undefined);
  assert.ok((await seen(owner)).includes("released: the site is deleted"));
});
