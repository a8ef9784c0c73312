import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import type { Notification } from "@ledge/model";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { openTestHub } from "../test-hub.ts";

test("GET /notifications lists open alarms and alerts with the clients that have not seen them", async () => {
  const clock = new SimulatedClock();
  const hub = await openTestHub(memoryLog(), clock);
  const ann = await hub.user(roles.IDENTIFIED_USER);
  const admin = await hub.user(roles.USER_ADMIN);
  const api = hub.api("local");
  const seen = async (): Promise<unknown[]> => {
    const { body } = await api.send("GET", "/notifications", admin.key);
    return (body as Notification[]).map(({ category, level, clients }) => [category, level, clients]);
  };
  const note = { type: "NOTE_UI_DEVICE", user: ann.id, client: "phone", reachable: true };
  await hub.run({ ...note, session: true, at: clock.wall() });
  assert.deepEqual(await seen(), []);
  await hub.run({ ...note, session: false, at: clock.wall() });
  await clock.pass(1000);
  await hub.run({ type: "RAISE_ALARM", kind: "DISK_FULL", sourceId: "h", name: "Home" });
  assert.deepEqual(await seen(), [["alarm", "err", [{ user: ann.id, uuid: "phone" }]]]);
  await hub.run({ ...note, session: true, at: clock.wall() });
  assert.deepEqual(await seen(), [["alarm", "err", []]]);
  const alert = { type: "RAISE_ALERT", msg_id: "SCENE_INCOMPLETE", parameters: { name: "x" }, sourceId: "x" };
  await hub.run({ ...alert, error: true, userId: ann.id });
  assert.equal((await seen()).length, 1, "what is another user's alone is not shown");
  assert.equal((await api.send("GET", "/notifications", ann.key)).status, 403);
});
