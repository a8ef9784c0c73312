// A database whose disk is full. Mounting one needs root.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { temporaryFolder } from "@ledge/testkit";
import { PostgresServer } from "@ledge/testkit/postgres";
import type { SmallDisk } from "@ledge/testkit/small-disk";
import { CloudProcess } from "../testdata/cloud-process.ts";

const root = temporaryFolder();
let database: PostgresServer;
const disks: SmallDisk[] = [];

before(async () => void (database = await PostgresServer.start()));

after(async () => {
  await database.remove();
  for (const disk of disks) disk.remove();
  root.remove();
});

/** A database with a disk that becomes full. */
interface Filled {
  /** Its address. */
  readonly store: string;
  /** Takes the room, and gives it back. */
  readonly fill: () => Promise<void> | void;
  readonly free: () => Promise<void> | void;
}

function small(): Filled {
  const disk = database.smallDisk("small", 24);
  disks.push(disk);
  return { store: database.create("small", "small"), fill: () => disk.fill(), free: () => disk.free() };
}

async function smallWal(): Promise<Filled> {
  const disk = await database.walDisk(40);
  disks.push(disk);
  return {
    store: database.url(),
    async fill() {
      disk.fill();
      // Whatever is written next begins another file.
      database.tool("psql", "-q", "-d", "postgres", "-c", "SELECT pg_switch_wal()");
      assert.match(await database.ended(), /pg_wal.*No space left on device[^]*startup process failure/);
    },
    async free() {
      disk.free();
      await database.resume();
    },
  };
}

const statusOf = async (cloud: CloudProcess): Promise<{ status: string; reason: string | null }> => {
  const answer = await cloud.call("GET", "/healthz");
  return (await answer.json()) as { status: string; reason: string | null };
};

interface Answer {
  readonly result: { readonly error?: { readonly code: string }; readonly data?: readonly object[] };
}

const groupsOf = async (cloud: CloudProcess, token: string, subscriptionId: string): Promise<number> => {
  const query = { type: "ListResourceGroupQuery", subscriptionId, pageSize: 500 };
  const answer = await cloud.call("POST", "/graph/query", token, { query });
  return ((await answer.json()) as Answer).result.data?.length ?? assert.fail("no list");
};

for (const [what, made, expected] of [
  ["the disk of its database is full", small, /could not extend file .*No space left on device/],
  [
    "the disk with the write-ahead log is full, which ends PostgreSQL",
    smallWal,
    /could not write to file .*No space left on device|connect ENOENT/,
  ],
] as const)
  test(`a cloud takes no change while ${what}, and stores what waits once there is room`, async (t) => {
    const { store, fill, free } = await made();
    const folder = join(root.path, randomUUID());
    const cloud = await CloudProcess.start(folder, "--store", store);
    t.after(() => cloud.kill());
    const token = await cloud.logIn("owner@example.org");
    const query = { type: "ListSubscriptionQuery" };
    const listed = (await (await cloud.call("POST", "/graph/query", token, { query })).json()) as Answer;
    const [{ subscriptionId }] = listed.result.data as [{ subscriptionId: string }];
    const first = await groupsOf(cloud, token, subscriptionId);
    const add = (): Promise<Response> => {
      const command = { type: "CreateResourceGroupCommand", subscriptionId, name: randomUUID() };
      return cloud.call("PUT", "/graph/command", token, { command });
    };
    const asked: Promise<Response>[] = [];
    // PostgreSQL may need a write to notice.
    const filled = Promise.resolve(fill());
    let health = await statusOf(cloud);
    while (health.status !== "read-only") {
      asked.push(add());
      await setTimeout(100);
      if (asked.length % 10 === 0) health = await statusOf(cloud);
    }
    await filled;
    assert.match(health.reason ?? "", expected);
    const refused = await cloud.call("POST", "/ui/0.2/user/requestlogin", undefined, {
      email: "a@example.org",
    });
    assert.equal(refused.status, 507);
    assert.equal((await cloud.call("GET", "/ui/0.2/user", token)).status, 200, "reads go on");

    await free();
    const answers = await Promise.all(asked.map(async (answer) => (await answer).json() as Promise<Answer>));
    const errors = answers.flatMap(({ result: { error } }) => (error === undefined ? [] : [error.code]));
    assert.deepEqual(
      [...new Set(errors)].filter((code) => code !== "E_READ_ONLY"),
      [],
    );
    assert.ok(errors.length < asked.length, "what was under way is answered once it is stored");
    while ((await statusOf(cloud)).status !== "serving") await setTimeout(300);
    await cloud.logIn("second@example.org");
    const stored = first + asked.length - errors.length;
    assert.equal(await groupsOf(cloud, token, subscriptionId), stored);
    await cloud.kill();
    const again = await CloudProcess.start(folder, "--store", store);
    t.after(() => again.kill());
    assert.equal(await groupsOf(again, token, subscriptionId), stored, "what was acknowledged is there");
  });
