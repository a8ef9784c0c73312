import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { noUpdates } from "../no-updates.ts";
import type { HubUpdates } from "../ports.ts";
import { Refused } from "../refused.ts";
import { idleUpdates } from "../test-facts.ts";
import { openTestHub } from "../test-hub.ts";

test("POST /hub/update begins what the owner asks for, writes that down first, and passes refusals on", async () => {
  const begun: string[] = [];
  const problems: string[] = [];
  const updates: HubUpdates = {
    ...idleUpdates,
    check: async () => new Refused(422, "the feed does not answer"),
    problem: () => problems[0],
    begin: async (action) => void begun.push(action),
  };
  const hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { updates } });
  const api = hub.api("local");
  const owner = await hub.sign();
  const post = (action: unknown, key = owner): ReturnType<typeof api.send> =>
    api.send("POST", "/hub/update", key, { action });
  for (const wrong of [undefined, "install", "REBOOT", 7]) assert.equal((await post(wrong)).status, 422);
  const { key } = await hub.user(roles.USER_ADMIN);
  assert.equal((await post("INSTALL", key)).status, 403);
  assert.equal((await api.send("GET", "/hub/update", key)).status, 200);
  assert.deepEqual(begun, []);
  const checked = await post("CHECK");
  assert.deepEqual(
    [checked.status, (checked.body as { message: string }).message],
    [422, "the feed does not answer"],
  );
  const { timestamp } = hub.kernel;
  assert.equal((await post("INSTALL")).status, 200);
  assert.equal((await post("ROLL_BACK")).status, 200);
  assert.deepEqual(begun, ["INSTALL", "ROLL_BACK"]);
  const acts = [...hub.kernel.log.read(timestamp)].flatMap(({ events }) =>
    events.map((event) => [event.type, (event as unknown as { act: string }).act]),
  );
  assert.deepEqual(acts, [
    ["StopRequested", "update"],
    ["StopRequested", "rollback"],
  ]);
  problems.push("an update is being fetched");
  assert.equal((await post("INSTALL")).status, 422);
  assert.equal(begun.length, 2);
});

test("a machine without slots says that it does not update itself, and how it is updated", async () => {
  const hub = await openTestHub(memoryLog(), new SimulatedClock(), {
    ports: { updates: noUpdates("0.2.0") },
  });
  const owner = await hub.sign();
  const { body: told } = await hub.api("local").send("GET", "/hub/update", owner);
  assert.equal((told as { updatesItself: boolean }).updatesItself, false);
  for (const action of ["CHECK", "INSTALL", "ROLL_BACK"]) {
    const { status, body } = await hub.api("local").send("POST", "/hub/update", owner, { action });
    assert.deepEqual(
      [status, (body as { message: string }).message.slice(0, 41)],
      [422, "this machine has no updates of its own: u"],
    );
  }
});
