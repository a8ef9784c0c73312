import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Answer, type Client, openTestHub, type TestHub } from "../test-hub.ts";

const own = "/hub/users/preferences";
const common = "/hub/preferences";
let hub: TestHub;
let api: Client;
let guest: string;
let admin: string;

beforeEach(async () => {
  hub = await openTestHub(memoryLog(), new SimulatedClock());
  api = hub.api("local");
  ({ key: guest } = await hub.user(roles.GUEST));
  ({ key: admin } = await hub.user(roles.USER_ADMIN));
});

const put = (path: string, key: string, values: unknown): Promise<Answer> =>
  api.send("PUT", path, key, { type: "PREFERENCES", values });
const valuesAt = async (path: string, key: string): Promise<unknown> =>
  ((await api.send("GET", path, key)).body as { values: unknown }).values;

test("keeps what clients give for each user apart", async () => {
  const none = await api.send("GET", own, guest);
  assert.deepEqual(none.body, { type: "PREFERENCES", values: {}, timestamp: null });
  assert.equal((await put(own, guest, { favourites: ["lamp"] })).body, true);
  assert.deepEqual(await valuesAt(own, guest), { favourites: ["lamp"] });
  assert.deepEqual(await valuesAt(own, admin), {});
  await put(own, guest, {});
  assert.deepEqual(await valuesAt(own, guest), {});
});

test("everybody reads what is kept for the home, administrators set it", async () => {
  assert.equal((await put(common, guest, { a: 1 })).status, 403);
  assert.equal((await put(common, admin, { a: 1 })).status, 200);
  assert.deepEqual(await valuesAt(common, guest), { a: 1 });
});

test("counts the bytes of the JSON, and refuses what is no object", async () => {
  // {"a":"…"} has eight bytes beside the text.
  const letters = (count: number): object => ({ a: "ä".repeat(count) });
  const most = (limits.preferencesBytes - 8) / 2;
  for (const [path, key] of [
    [own, guest],
    [common, admin],
  ] as const) {
    assert.equal((await put(path, key, letters(most))).status, 200);
    const { status, body } = await put(path, key, letters(most + 1));
    assert.equal(status, 422);
    assert.deepEqual((body as { errors: unknown }).errors, [
      { field: "values", message: "at most 16384 bytes of JSON" },
    ]);
    for (const wrong of [undefined, null, [1], "x"]) assert.equal((await put(path, key, wrong)).status, 422);
    assert.deepEqual(await valuesAt(path, key), letters(most));
  }
});

test("a user who is forgotten leaves nothing", async () => {
  const { id, key } = await hub.user(roles.IDENTIFIED_USER);
  await put(own, key, { favourites: ["lamp"] });
  await hub.run({ type: "FORGET_USER", id });
  assert.equal(hub.kernel.get("preferences", id), undefined);
});

test("the console has no preferences of its own", async () => {
  assert.equal((await hub.api("console").send("GET", own)).status, 404);
});
