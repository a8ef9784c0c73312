import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { until } from "@ledge/testkit";
import { limits } from "@ledge/model";
import { TestCloud } from "../testdata/open-cloud.ts";

const opened: TestCloud[] = [];
let world: TestCloud;
beforeEach(async () => {
  world = await TestCloud.open();
  opened.push(world);
});
after(async () => {
  for (const each of opened) await each.remove();
});

const keep = (name: string, more: object = {}): Promise<void> =>
  world.cloud.artifacts.keep({ kind: "RefreshToken", name, payload: { n: name }, lifeMs: 60_000, ...more });
const isThere = (name: string): boolean => world.cloud.artifacts.find("RefreshToken", name) !== undefined;

test("what is kept is there after a restart, under its kind alone, and not readable on disk", async () => {
  await keep("a-long-refresh-token", { grant: "g", alias: "other name" });
  await world.stop();
  await world.start();
  const { artifacts } = world.cloud;
  assert.deepEqual(artifacts.find("RefreshToken", "a-long-refresh-token")?.payload, {
    n: "a-long-refresh-token",
  });
  assert.equal(artifacts.find("AuthorizationCode", "a-long-refresh-token"), undefined);
  assert.ok(artifacts.findByAlias("RefreshToken", "other name"));
  assert.equal(world.onDisk("a-long-refresh-token"), false);
});

test("one of many uses at once succeeds, and the others take the grant along", async () => {
  await keep("used", { grant: "g" });
  await keep("sibling", { grant: "g" });
  await keep("stranger", { grant: "other" });
  const uses = Array.from({ length: 5 }, () => world.cloud.artifacts.consume("RefreshToken", "used"));
  assert.equal((await Promise.all(uses)).filter((isFirst) => isFirst).length, 1);
  assert.deepEqual(["used", "sibling", "stranger"].map(isThere), [false, false, true]);
  assert.equal(await world.cloud.artifacts.consume("RefreshToken", "none"), false);
});

test("what is used up stays so when it is kept again", async () => {
  await keep("once");
  await world.cloud.artifacts.consume("RefreshToken", "once");
  await keep("once");
  assert.notEqual(world.cloud.artifacts.find("RefreshToken", "once")?.consumed, null);
});

test("what has expired is not found, and is removed before long", async () => {
  await keep("short", { lifeMs: 1000 });
  await world.goForward(2000);
  assert.equal(isThere("short"), false);
  const size = (): number => world.cloud.kernel.size("oauthArtifact");
  await until("the sweep", () => size() === 0 || void world.clock.pass(limits.oauthSweepMs));
});

test("an owner has so many, and the oldest goes", async () => {
  const names = Array.from({ length: limits.oauthArtifactsPerOwner + 1 }, (_, at) => `t${at}`);
  for (const name of names) await keep(name, { owner: "ada" });
  assert.deepEqual(["t0", "t1", names.at(-1) ?? ""].map(isThere), [false, true, true]);
  await keep("t1", { owner: "ada" });
  assert.equal(isThere("t2"), true);
});

test("what belongs to an account goes with it, and with its sessions", async () => {
  const { account } = await world.logIn("ada@example.org");
  const { operation, sharing } = world.cloud;
  await keep("first", { owner: account.id });
  await keep("other", { owner: "bob" });
  assert.equal(await operation.endSessions(account.id), undefined);
  assert.deepEqual(["first", "other"].map(isThere), [false, true]);
  await keep("second", { owner: account.id });
  assert.equal(await sharing.forget(account.id), undefined);
  await until("the end of what the account had", () => !isThere("second"));
});
