import assert from "node:assert/strict";
import { test } from "node:test";
import type { Room } from "@ledge/model";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { bareProfile, HubProcess, TestHome, temporaryFolder } from "../testdata/hub-process.ts";

const home = new TestHome();

const roomNames = async (query = ""): Promise<string[]> => {
  const { status, json } = await home.call("GET", `/rooms${query}`);
  assert.equal(status, 200, JSON.stringify(json));
  return Object.values(json as Record<string, Room>).map(({ name }) => name);
};

const timestamp = async (): Promise<number> =>
  ((await home.call("GET", "/hub/poll?ts=0")).json as { timestamp: number }).timestamp;

test("shows an earlier state at a timestamp, and the present one now", async () => {
  await home.hub.homeAnnounced(home.key);
  const before = await timestamp();
  await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Attic" }]);
  const then = await timestamp();
  await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Cellar" }]);
  const shown = await roomNames(`?at=${then}`);
  assert.deepEqual([shown.includes("Attic"), shown.includes("Cellar")], [true, false]);
  assert.equal((await roomNames(`?at=${before}`)).includes("Attic"), false);
  assert.deepEqual(await roomNames(`?at=${await timestamp()}`), await roomNames());
  assert.equal((await home.call("GET", `/devices?at=${then}&groupId=x`)).status, 404);
});

test("accepts only a past integer timestamp, and only on rows that can show the past", async () => {
  const at = await timestamp();
  const problems = [
    ["/rooms?at=yesterday", "at must be an integer"],
    ["/rooms?at=-1", /^at must be/],
    [`/rooms?at=${at + 86_400_000}`, "at lies ahead"],
    [`/rooms?at=${"9".repeat(40)}`, "at lies ahead"],
    [`/hub/poll?at=${at}`, "at is not for this request"],
    [`/hub/scan?at=${at}`, "at is not for this request"],
    [`/rules/templates?at=${at}`, "at is not for this request"],
  ] as const;
  for (const [path, expected] of problems) {
    const { status, json } = await home.call("GET", path);
    const { message, errors } = json as { message: string; errors: { field: string }[] };
    assert.deepEqual([path, status, errors[0]?.field], [path, 422, "at"]);
    assert.match(message, typeof expected === "string" ? new RegExp(`^${expected}$`) : expected);
  }
  const write = await home.call("PUT", `/rooms?at=${at}`, [{ type: "CMD_ROOM", name: "Never" }]);
  assert.equal(write.status, 422);
  assert.equal((await roomNames()).includes("Never"), false);
});

test("refuses a time before the hub existed, and names the oldest possible one", async () => {
  const { status, json } = await home.call("GET", "/devices?at=1000");
  const { code, oldest } = json as { code: string; oldest: number };
  assert.deepEqual([status, code], [404, "HISTORY_PRUNED"]);
  assert.equal((await home.call("GET", `/devices?at=${oldest}`)).status, 200);
  assert.equal((await home.call("GET", `/devices?at=${oldest - 1}`)).status, 404);
});

test("the hub's public facts need no key now, but one for the past", async () => {
  const at = await timestamp();
  assert.equal((await fetch(`${home.hub.address}/hub?at=${at}`)).status, 401);
  const asked = await fetch(`${home.hub.address}/hub?at=${at}`, { headers: { authorization: home.key } });
  assert.equal(asked.status, 200);
  assert.equal(((await asked.json()) as { hubId: string }).hubId, await home.hub.hubId());
});

test("limits questions per caller without delaying others, and a stop ends the reading", async () => {
  const at = await timestamp();
  const asked = await Promise.all(Array.from({ length: 4 }, () => home.call("GET", `/devices?at=${at}`)));
  const statuses = asked.map(({ status }) => status);
  assert.ok(statuses.includes(200));
  assert.ok(statuses.every((status) => status === 200 || status === 429));
  const last = home.call("GET", `/rooms?at=${at - 1}`).catch(() => undefined);
  const { code, stderr } = await home.hub.stop();
  await last;
  assert.deepEqual([code, stderr], [0, ""]);
  await home.start();
  assert.equal((await home.call("GET", `/rooms?at=${at}`)).status, 200);
});

test("admins see users as they were, without the personal data of forgotten ones", async (context) => {
  const folder = temporaryFolder();
  const cloud = await SimulatedCloud.open();
  const hub = await HubProcess.startAt(cloud, folder.path, "--profile", bareProfile(folder.path));
  context.after(async () => {
    await hub.stop();
    await cloud.close();
    folder.remove();
  });
  const [owner, ann] = [await hub.key(), await hub.key("ann@example.org")];
  const emails = async (key: string, query = ""): Promise<string[]> => {
    const { status, json } = await hub.call("GET", `/hub/users${query}`, key);
    if (status !== 200) return [String(status)];
    const users = Object.values(
      json as Record<string, { user_info: { user: { uid: string; email: string } } }>,
    );
    return users.map(({ user_info }) => user_info.user.email);
  };
  const { timestamp: at } = (await hub.call("GET", "/hub/poll?ts=0", owner)).json as { timestamp: number };
  const known = await emails(owner);
  assert.ok(known.includes("ann@example.org"));
  assert.deepEqual(await emails(owner, `?at=${at}`), known);
  assert.deepEqual(await emails(ann, `?at=${at}`), ["403"]);
  const { json } = await hub.call("GET", "/hub/users", owner);
  const [id] = Object.entries(json as Record<string, unknown>).flatMap(([uid, user]) =>
    JSON.stringify(user).includes("ann@") ? [uid] : [],
  );
  assert.equal((await hub.call("DELETE", `/hub/users?userId=${id}`, owner)).status, 200);
  assert.deepEqual(
    (await emails(owner, `?at=${at}`)).toSorted(),
    known.map((email) => email.replace("ann@example.org", "")).toSorted(),
  );
});
