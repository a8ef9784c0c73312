import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { features } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { NatsServer } from "@ledge/testkit/nats";
import { PostgresServer } from "@ledge/testkit/postgres";
import { CloudProcess, spawned } from "../testdata/cloud-process.ts";
import { TestHub } from "../testdata/open-cloud.ts";

const root = temporaryFolder();
let database: PostgresServer;
let broker: NatsServer;

before(async () => {
  [database, broker] = await Promise.all([PostgresServer.start(), NatsServer.start()]);
});

after(async () => {
  await Promise.all([database.remove(), broker.kill()]);
  root.remove();
});

const start = (name: string): Promise<CloudProcess> =>
  CloudProcess.start(join(root.path, name), "--store", database.url(), "--bus", broker.url());

/** Waits until a cloud has a status. Few health requests are allowed a minute. */
async function becomes(cloud: CloudProcess, status: string): Promise<void> {
  for (;;) {
    const answer = await cloud.call("GET", "/healthz");
    if (((await answer.json()) as { status: string }).status === status) return;
    await setTimeout(300);
  }
}

test("a cloud on PostgreSQL and NATS that is killed and started again has lost nothing", async () => {
  const email = "owner@example.org";
  const cloud = await start("one");
  const hub = await TestHub.make();
  const hubToken = await cloud.connect(hub, [features.REMOTE_USAGE]);
  assert.equal((await cloud.call("POST", "/hub/claim", hubToken, { email })).status, 200);
  const token = await cloud.logIn(email);
  const before = Object.keys(await cloud.hubKeys(token));
  await cloud.kill();

  const again = await start("one");
  assert.deepEqual([before, Object.keys(await again.hubKeys(token))], [[hub.id], [hub.id]]);
  await again.logIn(email);
  assert.equal(existsSync(join(root.path, "one", "log")), false, "the folder has no log");
  assert.equal((await again.stop()).code, 0);
});

test("a cloud takes no change while its database is away, says so, and goes on when it is back", async () => {
  const cloud = await start("one");
  await cloud.logIn("first@example.org");
  await database.kill();
  const ask = (): Promise<Response> =>
    cloud.call("POST", "/ui/0.2/user/requestlogin", undefined, { email: "second@example.org" });
  const waiting = ask();
  await becomes(cloud, "read-only");
  const refused = await ask();
  assert.equal(refused.status, 507);
  assert.match(((await refused.json()) as { message: string }).message, /read-only/);
  await database.resume();
  assert.equal((await waiting).status, 200, "what was under way is answered once it is stored");
  await becomes(cloud, "serving");
  await cloud.logIn("third@example.org");
  assert.equal((await cloud.stop()).code, 0);
});

test("what needs the folder's own log is refused where the cloud is in a database", async () => {
  const folder = join(root.path, "one");
  for (const [program, ...args] of [
    ["cloud", "--port", "0"],
    ["ledge-cloud", "status"],
  ] as const) {
    const { code, stderr } = await spawned(program, ...args, "--data", folder).ended;
    assert.notEqual(code, 0);
    assert.match(stderr, /is in a database: name it with --store/);
  }
  assert.equal(existsSync(join(folder, "log")), false);
});

test("a folder with a log of its own and a wrong address are refused", async () => {
  const folder = join(root.path, "own");
  mkdirSync(join(folder, "log"), { recursive: true });
  writeFileSync(join(folder, "log", "data.mdb"), "");
  const run = async (...args: string[]): Promise<[number | null, string]> => {
    const { code, stderr } = await spawned("cloud", "--data", folder, "--port", "0", ...args).ended;
    return [code, stderr];
  };
  const [owned, reason] = await run("--store", database.url());
  assert.equal(owned, 70);
  assert.match(reason, /has a log of its own/);
  for (const [args, said] of [
    [["--bus", broker.url()], /--bus needs --store/],
    [["--store", "mysql://localhost/x"], /--store takes the URL/],
    [["--store", database.url(), "--bus", "http://localhost"], /--bus takes the URL/],
  ] as const) {
    const [code, wrong] = await run(...args);
    assert.equal(code, 2);
    assert.match(wrong, said);
  }
});
