import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { RegisterStore, Row } from "@ledge/fleet";
import { batchOf, rowOf } from "@ledge/fleet/contract";
import { PersonalKeyTable } from "@ledge/fleet-postgres";
import { createLogger } from "@ledge/host/logger";
import { features } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { NatsServer } from "@ledge/testkit/nats";
import { PostgresServer } from "@ledge/testkit/postgres";
import type { Cloud } from "../cloud.ts";
import { CloudProcess, type Finished, spawned } from "../testdata/cloud-process.ts";
import { TestCloud, TestHub } from "../testdata/open-cloud.ts";
import { storeProblem } from "../settings.ts";
import { openFleetStorage } from "./fleet-storage.ts";
import type { Storage } from "./storage.ts";

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
  const keys = Object.keys(await cloud.hubKeys(token));
  await cloud.kill();

  const again = await start("one");
  assert.deepEqual([keys, Object.keys(await again.hubKeys(token))], [[hub.id], [hub.id]]);
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

test("a dump of the database, taken under load and restored with the folder, has what was acknowledged", async () => {
  const email = "kept@example.org";
  const cloud = await start("one");
  const token = await cloud.logIn(email);
  const over = new AbortController();
  const loading = (async () => {
    for (let at = 0; !over.signal.aborted; at++) {
      const asked = { email: `load${at % 5}@example.org` };
      await (await cloud.call("POST", "/ui/0.2/user/requestlogin", undefined, asked)).text();
    }
  })();
  const file = join(database.folder, "cloud.dump");
  database.tool("pg_dump", "-Fc", "-f", file, "postgres");
  const folder = join(root.path, "restored");
  cpSync(cloud.folder, folder, { recursive: true, filter: (path) => !path.endsWith(".sock") });
  over.abort();
  await loading;
  assert.equal((await cloud.stop()).code, 0);

  const store = database.create("restored");
  database.tool("pg_restore", "-d", "restored", file);
  const again = await CloudProcess.start(folder, "--store", store);
  assert.equal((await again.call("GET", "/ui/0.2/user", token)).status, 200, "the token is still valid");
  await again.logIn(email);
  assert.equal((await again.stop()).code, 0);
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
  const [code, wrong] = await run("--bus", broker.url());
  assert.equal(code, 2);
  assert.match(wrong, /--bus needs --store/);
  assert.match(storeProblem({ store: "mysql://localhost/x" }) ?? "", /--store takes the URL/);
  const [listening, unused] = await run("--cluster", "127.0.0.1:0");
  assert.deepEqual([listening, /--cluster and --node need --store/.test(unused)], [2, true]);
  const store = database.url();
  for (const [listen, problem] of [
    ["nowhere", /host:port/],
    ["localhost:70000", /host:port/],
    ["0.0.0.0:80", /that other processes can reach/],
    ["[::]:80", /that other processes can reach/],
  ] as const)
    assert.match(storeProblem({ store, cluster: { listen } }) ?? "", problem);
  assert.match(storeProblem({ store, cluster: { url: "https://host/path" } }) ?? "", /--node takes the URL/);
  const cluster = { listen: "[::1]:8895", url: "https://node" };
  assert.equal(storeProblem({ store, cluster }), undefined);
  const bus = "http://localhost";
  assert.match(storeProblem({ store: database.url(), bus }) ?? "", /--bus takes the URL/);
});

test("an imported folder gives the same answers from the database, to the same tokens", async () => {
  const url = database.create("imported");
  const own = await TestCloud.open();
  try {
    const { token } = await own.logIn("owner@example.org");
    await (await TestHub.make()).connect(own.cloud);
    await fill(own.cloud.registers);
    const known = await seenOf(own.cloud);
    await own.stop();
    const wrong = await spawned("ledge-cloud", "import", "--data", own.folder).ended;
    assert.deepEqual([wrong.code, /import --store URL/.test(wrong.stderr)], [2, true]);
    const run = (): Promise<Finished> =>
      spawned("ledge-cloud", "import", "--store", url, "--data", own.folder, "--json").ended;
    const { code, stdout, stderr } = await run();
    assert.equal(code, 0, stderr);
    const { sources, rows } = JSON.parse(stdout) as { sources: number; rows: number };
    assert.deepEqual([sources, rows], [2, 1201]);
    assert.match((await run()).stderr, /has no cloud of its own/);

    const { folder, clock } = own;
    const rest = { logger: createLogger("silent"), newId: randomUUID, onFatal: assert.fail };
    const storage = await openFleetStorage({ folder, clock, store: url, ...rest });
    await own.start({ storage });
    assert.deepEqual(await seenOf(own.cloud), known);
    assert.equal(typeof (await own.cloud.logins.verified(token)), "object");
    await own.logIn("owner@example.org");
    await own.stop();
    await forgets(own, url);
  } finally {
    await own.remove();
  }
});

/** Another folder opens the cloud with its secret key alone, and the key of a forgotten person leaves the database. */
async function forgets(first: TestCloud, url: string): Promise<void> {
  const table = new PersonalKeyTable(url);
  const second = temporaryFolder();
  const { clock } = first;
  const rest = { logger: createLogger("silent"), newId: randomUUID, onFatal: assert.fail };
  const storage = (): Promise<Storage> =>
    openFleetStorage({ folder: second.path, clock, store: url, ...rest });
  try {
    await assert.rejects(first.start({ folder: second.path, storage: await storage() }), /copy secret-key/);
    copyFileSync(join(first.folder, "secret-key"), join(second.path, "secret-key"));
    await first.start({ folder: second.path, storage: await storage() });
    const {
      account: { id },
    } = await first.logIn("owner@example.org");
    const isKept = async (): Promise<boolean> => (await table.all()).some(({ subject }) => subject === id);
    assert.equal(await isKept(), true);
    assert.equal(await first.cloud.sharing.forget(id, "console"), undefined);
    while (await isKept());
  } finally {
    await table.close();
    second.remove();
  }
}

async function fill(store: RegisterStore): Promise<void> {
  const row = (id: string): Row => ({ ...rowOf(id), register: "hub-1", source: "hub-1" });
  const many = Array.from({ length: 1200 }, (_, at) => row(`d${at}`));
  await store.apply(batchOf(many, { source: "hub-1", upto: "7", note: "states" }));
  const other = { ...rowOf("other"), register: "hub-2", source: "hub-2" };
  const outbox = [1, 2, 3].map((at) => ({ topic: "site", ref: `${at}-0`, body: { at } }));
  await store.apply(batchOf([other], { source: "hub-2", generation: 3, upto: "9", outbox }));
}

/** Returns everything that answers are made of. */
async function seenOf({ kernel, registers }: Cloud): Promise<unknown> {
  const rows: Row[] = [];
  for (const register of ["hub-1", "hub-2"])
    for await (const row of registers.scan(register, "device")) rows.push(row);
  const cursors = await Promise.all(["hub-1", "hub-2"].map((source) => registers.cursorOf(source)));
  return { state: [...kernel.snapshot().rows], rows, cursors };
}
