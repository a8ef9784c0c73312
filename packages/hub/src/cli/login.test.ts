import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { bareProfile, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
const home = join(folder.path, "home");
const board = join(folder.path, "board.json");
const data = ["--data", home];
let hub: HubProcess;
let owner = "";

const start = (): Promise<HubProcess> => HubProcess.start(home, "--profile", board);

before(async () => {
  const bare = JSON.parse(readFileSync(bareProfile(folder.path), "utf8")) as object;
  writeFileSync(board, JSON.stringify({ ...bare, name: "board", trial: false, cloud: null }));
  hub = await start();
});

after(async () => {
  await hub.stop();
  folder.remove();
});

interface Begun {
  readonly secret: string;
  readonly code: string;
}

const begin = (): Promise<Begun> => hub.done("POST", "/hub/logins", "", { name: "Kitchen tablet" });
const keyFor = ({ secret }: Begun): Promise<{ key: string; keyId: string; role: number }> =>
  hub.done("POST", "/hub/logins/poll", "", { secret });
const check = async (key: string): Promise<number> => (await hub.call("GET", "/hub/keycheck", key)).status;

test("a hub without a cloud is claimed with the code that `ledge claim open` shows", async () => {
  const body = { nickname: "Ann", name: "Laptop" };
  const wrong = await hub.call("POST", "/hub/setup", "", { ...body, code: "BCDFGHJ" });
  assert.equal(wrong.status, 403);
  const { stdout } = await ledge("claim", "open", ...data, "--json");
  const { code } = JSON.parse(stdout) as { code: string };
  const { key } = await hub.done<{ key: string }>("POST", "/hub/setup", "", { ...body, code });
  owner = key;
  assert.deepEqual((await hub.call("GET", "/hub/keycheck", owner)).json, { role: 64 });
});

test("`ledge login approve` lets in the browser that shows the code, and the owner gets an alert", async () => {
  const begun = await begin();
  const approved = await ledge("login", "approve", begun.code, ...data);
  assert.match(approved.stdout, /^Kitchen tablet is in, as \S+: key \S+\n$/);
  const { key, keyId, role } = await keyFor(begun);
  assert.equal(role, 64);
  const { json } = await hub.call("GET", "/hub/poll?ts=0", owner);
  assert.match(JSON.stringify(json), /Kitchen tablet was let in and has a key to this hub/);
  const revoked = await hub.call("DELETE", `/hub/keys?keyId=${keyId}`, owner);
  assert.equal(revoked.status, 200);
  assert.equal(await check(key), 401);
  const later = await hub.call("GET", "/hub/poll?ts=0", owner);
  assert.doesNotMatch(JSON.stringify(later.json), /Kitchen tablet was let in/);
});

test("`ledge login approve` lets in a panel as a guest", async () => {
  const begun = await begin();
  assert.equal((await ledge("login", "approve", begun.code, "--panel", ...data)).code, 0);
  assert.equal((await keyFor(begun)).role, 2);
});

test("`ledge login approve` takes exactly one code that waits", async () => {
  assert.equal((await ledge("login", "approve", ...data)).code, 2);
  assert.equal((await ledge("login", "approve", "A", "B", ...data)).code, 2);
  assert.equal((await ledge("login", "approve", "A", "--panel", "--user", "x", ...data)).code, 2);
  const { code, stderr } = await ledge("login", "approve", "BCDFGHJ", ...data);
  assert.deepEqual([code, stderr], [3, "ledge: nobody waits with that code\n"]);
});

test("keys survive a kill of the hub, and logins whose key was not fetched do not", async () => {
  // The fifth that this address begins: a sixth would have to wait.
  const begun = await begin();
  assert.equal((await ledge("login", "approve", begun.code, ...data)).code, 0);
  await hub.kill();
  hub = await start();
  assert.equal(await check(owner), 200);
  const { secret } = begun;
  assert.equal((await hub.call("POST", "/hub/logins/poll", "", { secret })).status, 404);
  const keys = await hub.done<Record<string, { name: string }>>("GET", "/hub/keys", owner);
  const names = Object.values(keys).map(({ name }) => name);
  assert.deepEqual(names.toSorted(), ["Kitchen tablet", "Kitchen tablet", "Laptop"]);
});

test("`ledge update` says what a machine without slots can do, and refuses words that it does not know", async () => {
  const status = await ledge("update", "status", ...data);
  assert.match(status.stdout, /^release +\S+\nnewer +none known\nprevious +none to go back to\n$/);
  for (const words of [["check"], ["install"], ["rollback"]]) {
    const refused = await ledge("update", ...words, ...data);
    assert.match(refused.stderr, /this machine has no updates of its own/, words.join(" "));
  }
});
