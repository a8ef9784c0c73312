import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { bareProfile, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
const home = join(folder.path, "home");
const data = ["--data", home];
let hub: HubProcess;

/** A hub with the settings of a board: it does not sign keys itself. */
before(async () => {
  const bare = JSON.parse(readFileSync(bareProfile(folder.path), "utf8")) as object;
  const board = join(folder.path, "board.json");
  writeFileSync(
    board,
    JSON.stringify({ ...bare, name: "board", trial: false, cloud: null, features: ["EVENTS"] }),
  );
  hub = await HubProcess.start(home, "--profile", board);
});

after(async () => {
  await hub.stop();
  folder.remove();
});

test("a hub without an owner has no key to recover", async () => {
  const { code, stderr } = await ledge("key", "--recover", ...data);
  assert.deepEqual([code, stderr], [3, "ledge: this hub has no owner: claim it first\n"]);
});

test("a recovered key is the owner's, lasts a day, raises an alert and follows the owner's role", async () => {
  const refused = await fetch(`${hub.address}/cc/1.14/hub/claim?email=ann@example.org`, { method: "POST" });
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /has no cloud.+ledge key --recover --email.+docs\/self-host\.md/);
  assert.equal((await ledge("key", ...data)).code, 3);
  assert.equal((await ledge("key", "--recover", "--role", "guest", ...data)).code, 2);
  const claimed = await ledge("key", "--recover", "--email", "ann@example.org", ...data);
  assert.equal((await ledge("key", "--recover", "--email", "eve@example.org", ...data)).code, 3);
  const key = claimed.stdout.trim();
  const { iat, exp, owner } = JSON.parse(Buffer.from(key.split(".")[1] ?? "", "base64url").toString());
  assert.deepEqual([exp - iat, owner], [24 * 3600, true]);
  assert.equal(statSync(join(home, "identity-key.json")).mode & 0o777, 0o600);
  const { json: alarms } = await hub.call("GET", "/alarms", key);
  assert.deepEqual(
    Object.values(alarms as object).map(({ kind }) => kind as string),
    ["KEY_RECOVERED"],
  );
  assert.match((await ledge("events", "tail", "--once", ...data)).stdout, /KeyRecovered .+\[console\]/);
  const mayRevoke = async (): Promise<number> => (await hub.call("PUT", "/hub/users", key, [])).status;
  assert.equal(await mayRevoke(), 200);
  assert.equal((await ledge("owner", "transfer", "bob@example.org", ...data)).code, 0);
  assert.equal(await mayRevoke(), 403);
  assert.deepEqual((await hub.call("GET", "/hub/keycheck", key)).json, { role: 32 });
});

test("owner transfer requires exactly one address", async () => {
  assert.equal((await ledge("owner", "transfer", ...data)).code, 2);
  assert.equal((await ledge("owner", "transfer", "a@b", "c@d", ...data)).code, 2);
  assert.equal((await ledge("owner", "transfer", "nobody", ...data)).code, 3);
});

test("a recovered key survives a restart, and the key of another folder is refused", async () => {
  const key = await hub.key();
  await hub.stop();
  hub = await HubProcess.start(home, "--profile", join(folder.path, "board.json"));
  assert.deepEqual((await hub.call("GET", "/hub/keycheck", key)).json, { role: 64 });
  const sim = await HubProcess.start(join(folder.path, "other"), "--profile", bareProfile(folder.path));
  await sim.key();
  assert.equal((await sim.call("GET", "/hub/keycheck", key)).status, 401);
  await sim.stop();
});

test("share shows and sets what the cloud may keep of the home", async () => {
  const shareOf = async (...words: string[]): Promise<string> => {
    const { stdout, stderr } = await ledge("share", ...words, ...data, "--json");
    assert.equal(stderr, "");
    return stdout.trim();
  };
  assert.equal(await shareOf(), '{"type":"SHARING","share":"none"}');
  assert.equal(await shareOf("states"), '{"type":"SHARING","share":"states"}');
  assert.match((await ledge("share", ...data)).stdout, /keeps the states of this home's devices/);
  assert.equal(await shareOf("none"), '{"type":"SHARING","share":"none"}');
  assert.equal((await ledge("share", "all", ...data)).code, 2);
  assert.equal((await ledge("share", "none", "states", ...data)).code, 2);
});
