import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { limits } from "@ledge/model";
import { until } from "@ledge/testkit";
import { hubsOf } from "./own-hubs.ts";
import { accepted, TestCloud, TestHub } from "../testdata/open-cloud.ts";

let world: TestCloud;
let hub: TestHub;

beforeEach(async () => {
  world = await TestCloud.open();
  hub = await TestHub.make();
  await hub.connect(world.cloud);
});
afterEach(() => world.remove());

const kind = (): string | undefined => world.cloud.kernel.get("registration", hub.id)?.clone?.kind;

test("a hub that is there twice is one again once the other has not been heard of for long", async () => {
  assert.equal(world.cloud.clones.note(hub.id, "same"), true);
  await until(() => kind() === "same");
  await world.clock.pass(limits.cloneQuietMs - 1);
  world.cloud.clones.note(hub.id, "same");
  await world.clock.pass(limits.cloneQuietMs - 1);
  assert.equal(kind(), "same");
  await world.clock.pass(1);
  await until(() => kind() === undefined);
});

test("what was noted before the cloud's last start is over in its time, too", async () => {
  world.cloud.clones.note(hub.id, "older");
  await until(() => kind() === "older");
  await world.stop();
  await world.start();
  assert.equal(kind(), "older");
  await world.clock.pass(limits.cloneQuietMs);
  await until(() => kind() === undefined);
});

test("the one that has the link is told at once, and then not of each of many dials", async () => {
  const { clones } = world.cloud;
  assert.equal(clones.note(hub.id, "same"), true);
  assert.equal(clones.note(hub.id, "same"), false);
  await world.clock.pass(limits.cloneToldMs - 1);
  assert.equal(clones.note(hub.id, "same"), false);
  await world.clock.pass(1);
  assert.equal(clones.note(hub.id, "same"), true);
});

test("who has access to a hub sees that it is there twice", async () => {
  const { userId } = accepted(await world.cloud.hubs.claim(hub.id, "ada@example.org"));
  const shown = () => hubsOf(world.cloud, userId, () => true).map(({ clone }) => clone?.kind ?? null);
  assert.deepEqual(shown(), [null]);
  world.cloud.clones.note(hub.id, "older");
  await until(() => kind() === "older");
  assert.deepEqual(shown(), ["older"]);
});
