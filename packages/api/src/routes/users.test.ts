import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Answer, type Client, openTestHub, type TestHub } from "../test-hub.ts";

let clock: SimulatedClock;
let hub: TestHub;
let api: Client;
let owner: string;
let ann: { id: string; key: string };

beforeEach(async () => {
  clock = new SimulatedClock();
  hub = await openTestHub(memoryLog(), clock);
  api = hub.api("local");
  owner = await hub.sign();
  ann = await hub.user(roles.IDENTIFIED_USER);
});

const put = (key: string, ...items: object[]): Promise<Answer> => api.send("PUT", "/hub/users", key, items);
const roleOf = (id: string): unknown => hub.kernel.get("user", id)?.user_info.role;
const saveProfile = (key: string, profile: object): Promise<Answer> =>
  api.send("PUT", "/hub/users/profile", key, profile);

test("lets the owner grant each grantable role, and no other", async () => {
  for (const role of [32, 8, 4, 2]) {
    const { status, body } = await put(owner, { id: ann.id, role });
    const [shown] = body as { id: string; user_info: { role: number } }[];
    assert.deepEqual([status, shown?.id, shown?.user_info.role, roleOf(ann.id)], [200, ann.id, role, role]);
  }
  for (const role of [0, 1, 3, 16, 64, 128, 255]) {
    assert.equal((await put(owner, { id: ann.id, role })).status, 422, String(role));
  }
  assert.equal(roleOf(ann.id), 2);
});

test("refuses a revoked user at once, and needs a new key after reinstatement", async () => {
  const status = async (key = ann.key): Promise<number> => (await api.send("GET", "/hub/tz", key)).status;
  assert.equal(await status(), 200);
  await put(owner, { type: "CMD_USER", id: ann.id, revoked: true });
  assert.equal(await status(), 401);
  const { body } = await api.send("GET", "/hub/users", owner);
  assert.equal((body as Record<string, { revoked: boolean }>)[ann.id]?.revoked, true);
  clock.stepWall(2000);
  await put(owner, { id: ann.id, revoked: false });
  assert.equal(await status(), 401, "a key from before may be the one that was stolen");
  assert.equal(await status(await hub.sign({ user_id: ann.id })), 200);
});

test("refuses to revoke the owner or change the owner's role", async () => {
  for (const change of [{ role: 32 }, { revoked: true }, { role: 8, revoked: true }]) {
    assert.equal((await put(owner, { id: "owner", ...change })).status, 422);
  }
  assert.equal((await put(owner, { id: "owner", role: 64, revoked: false })).status, 200);
  assert.equal(roleOf("owner"), roles.OWNER_ADMIN);
});

test("shows guests nicknames, but no email addresses or phone numbers", async () => {
  await saveProfile(ann.key, { nickname: "Ann", phone: "+358 55 1" });
  for (const role of [roles.GUEST, roles.REMOTE_GUEST]) {
    const { key } = await hub.user(role);
    const seen = [await api.send("GET", "/hub/users", key), await api.send("GET", "/hub/poll?ts=0", key)];
    for (const { status, body } of seen) {
      const text = JSON.stringify(body);
      assert.deepEqual([status, /Ann/.test(text), /@example|\+358/.test(text)], [200, true, false], text);
    }
    const users = seen[0]?.body as Record<string, { user_info: { user: object } }>;
    const shown = { email: "", nickname: "Ann", phone: null };
    assert.deepEqual({ ...users[ann.id]?.user_info.user, ...shown }, users[ann.id]?.user_info.user);
  }
  const { body } = await api.send("GET", "/hub/users", ann.key);
  assert.match(JSON.stringify(body), /owner@example\.org.*\+358 55 1/);
});

test("changes nobody if one item of a list is bad", async () => {
  const answer = await put(owner, { id: ann.id, role: 2 }, { id: "nobody", role: 2 });
  assert.equal(answer.status, 404);
  assert.equal(roleOf(ann.id), roles.IDENTIFIED_USER);
});

test("refuses changes by anyone but the owner", async () => {
  const { key } = await hub.user(roles.USER_ADMIN);
  assert.equal((await put(key, { id: ann.id, role: 2 })).status, 403);
  assert.equal((await put(ann.key, { id: ann.id, role: 32 })).status, 403);
});

test("saves a user's own profile and sets its `defaults`", async () => {
  const profile = (): unknown => hub.kernel.get("user", ann.id)?.user_info.user;
  const { email } = profile() as { email: string };
  assert.equal((profile() as { defaults: boolean }).defaults, false);
  const wanted = { type: "USER", uid: ann.id, email, nickname: "Ann", phone: "+358 40 123", defaults: true };
  assert.equal((await saveProfile(ann.key, { nickname: "Ann", phone: "+358 40 123" })).body, true);
  assert.deepEqual(profile(), wanted);
  const before = hub.kernel.timestamp;
  await saveProfile(ann.key, { nickname: "Ann", phone: null });
  assert.equal(hub.kernel.timestamp, before);
  await saveProfile(ann.key, { phone: "" });
  assert.deepEqual(profile(), { ...wanted, phone: null });
});

test("refuses an invalid profile, and callers whom the hub does not list", async () => {
  const long = "1".repeat(limits.phoneChars);
  for (const bad of [{ phone: `${long}1` }, { phone: "call me" }, { nickname: " " }, { nickname: 5 }, []]) {
    assert.equal((await saveProfile(ann.key, bad)).status, 422, JSON.stringify(bad));
  }
  assert.equal((await saveProfile(ann.key, { phone: long })).status, 200);
  const stranger = await hub.sign({ user_id: "stranger", role: roles.GUEST, auth_seq: 9 });
  assert.equal((await saveProfile(stranger, { nickname: "x" })).status, 404);
  assert.equal((await api.send("PUT", "/hub/users/profile", undefined, {})).status, 401);
  assert.equal((await hub.api("console").send("PUT", "/hub/users/profile", undefined, {})).status, 404);
});

test("stores the language that a user sets, and notes the client's language at polls", async () => {
  const spoken = async (): Promise<unknown> => {
    const { body } = await api.send("GET", "/hub/users", ann.key);
    return (body as Record<string, { user_info: { user: { language?: string } } }>)[ann.id]?.user_info.user
      .language;
  };
  assert.equal(await spoken(), undefined);
  for (const header of ["fr", "*", "fi-FI,en;q=0.5"])
    await api.raw("GET", "/hub/poll", ann.key, { headers: { "accept-language": header } });
  assert.deepEqual(
    hub.polls.map(({ language }) => language),
    [null, null, "fi"],
  );
  assert.equal((await saveProfile(ann.key, { language: "sv" })).status, 200);
  assert.equal(await spoken(), "sv");
  assert.equal((await saveProfile(ann.key, { nickname: "Ann", language: null })).status, 200);
  assert.equal(await spoken(), "sv");
  for (const language of ["fr", "", 5, ["fi"]])
    assert.equal((await saveProfile(ann.key, { language })).status, 422, String(language));
  const { key } = await hub.user(roles.GUEST);
  assert.doesNotMatch(JSON.stringify((await api.send("GET", "/hub/users", key)).body), /"sv"/);
});
