// A database whose disk is full. Mounting one needs root.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { temporaryFolder } from "@ledge/testkit";
import { PostgresServer } from "@ledge/testkit/postgres";
import type { SmallDisk } from "@ledge/testkit/small-disk";
import { CloudProcess } from "../testdata/cloud-process.ts";

const root = temporaryFolder();
let database: PostgresServer;
let disk: SmallDisk;
let store: string;

before(async () => {
  database = await PostgresServer.start();
  disk = database.smallDisk("small", 24);
  store = database.create("small", "small");
});

after(async () => {
  await database.remove();
  disk.remove();
  root.remove();
});

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

test("a cloud takes no change while the disk of its database is full, and stores what waits once it has room", async () => {
  const cloud = await CloudProcess.start(root.path, "--store", store);
  const token = await cloud.logIn("owner@example.org");
  const query = { type: "ListSubscriptionQuery" };
  const listed = (await (await cloud.call("POST", "/graph/query", token, { query })).json()) as Answer;
  const [{ subscriptionId }] = listed.result.data as [{ subscriptionId: string }];
  const first = await groupsOf(cloud, token, subscriptionId);
  const add = (): Promise<Response> => {
    const command = { type: "CreateResourceGroupCommand", subscriptionId, name: randomUUID() };
    return cloud.call("PUT", "/graph/command", token, { command });
  };
  disk.fill();
  const asked: Promise<Response>[] = [];
  let health = await statusOf(cloud);
  while (health.status !== "read-only") {
    asked.push(add());
    await setTimeout(100);
    if (asked.length % 10 === 0) health = await statusOf(cloud);
  }
  assert.match(health.reason ?? "", /could not extend file .*No space left on device/);
  const refused = await cloud.call("POST", "/ui/0.2/user/requestlogin", undefined, {
    email: "a@example.org",
  });
  assert.equal(refused.status, 507);
  assert.equal((await cloud.call("GET", "/ui/0.2/user", token)).status, 200, "reads go on");

  disk.free();
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
  const again = await CloudProcess.start(root.path, "--store", store);
  assert.equal(await groupsOf(again, token, subscriptionId), stored, "what was acknowledged is there");
  await again.kill();
});
