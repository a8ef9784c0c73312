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

test("clears the mark of a clone after the clone has been quiet for long enough", async () => {
  assert.equal(world.cloud.clones.note(hub.id, "same"), true);
  await until(() => kind() === "same");
  await world.clock.pass(limits.cloneQuietMs - 1);
  world.cloud.clones.note(hub.id, "same");
  await world.clock.pass(limits.cloneQuietMs - 1);
  assert.equal(kind(), "same");
  await world.clock.pass(1);
  await until(() => kind() === undefined);
});

test("clears the mark of a clone in time after a restart, too", async () => {
  world.cloud.clones.note(hub.id, "older");
  await until(() => kind() === "older");
  await world.stop();
  await world.start();
  assert.equal(kind(), "older");
  await world.clock.pass(limits.cloneQuietMs);
  await until(() => kind() === undefined);
});

test("alerts the connected hub to a clone at once, then at most once per interval", async () => {
  const { clones } = world.cloud;
  assert.equal(clones.note(hub.id, "same"), true);
  assert.equal(clones.note(hub.id, "same"), false);
  await world.clock.pass(limits.cloneToldMs - 1);
  assert.equal(clones.note(hub.id, "same"), false);
  await world.clock.pass(1);
  assert.equal(clones.note(hub.id, "same"), true);
});

test("shows users with access to a hub that it has a clone", async () => {
  const { userId } = accepted(await world.cloud.hubs.claim(hub.id, "ada@example.org"));
  const shown = () => hubsOf(world.cloud, userId, () => true).map(({ clone }) => clone?.kind ?? null);
  assert.deepEqual(shown(), [null]);
  world.cloud.clones.note(hub.id, "older");
  await until(() => kind() === "older");
  assert.deepEqual(shown(), ["older"]);
});
