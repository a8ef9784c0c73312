import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { temporaryFolder } from "@ledge/testkit";
import { NatsServer } from "@ledge/testkit/nats";
import { PostgresServer } from "@ledge/testkit/postgres";
import { CloudProcess } from "../testdata/cloud-process.ts";

const root = temporaryFolder();
let database: PostgresServer;
let broker: NatsServer;
const nodes: CloudProcess[] = [];

const folderOf = (name: string): string => join(root.path, name);

/** Starts a node, with the secret key of the first one. */
async function start(name: string): Promise<CloudProcess> {
  const folder = folderOf(name);
  if (nodes.length > 0) {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    copyFileSync(join(folderOf("a"), "secret-key"), join(folder, "secret-key"));
  }
  const node = await CloudProcess.start(folder, "--store", database.url(), "--bus", broker.url());
  nodes.push(node);
  return node;
}

let [a, b, c]: CloudProcess[] = [];

before(async () => {
  [database, broker] = await Promise.all([PostgresServer.start(), NatsServer.start()]);
  a = await start("a");
  [b, c] = await Promise.all([start("b"), start("c")]);
});

after(async () => {
  await Promise.all(nodes.map((node) => node.kill()));
  await Promise.all([database.remove(), broker.kill()]);
  root.remove();
});

const status = async (node: CloudProcess): Promise<string> =>
  ((await (await node.call("GET", "/healthz")).json()) as { status: string }).status;

async function asked(
  node: CloudProcess,
  token: string,
  kind: "command" | "query",
  fields: object,
): Promise<Record<string, unknown>> {
  const method = kind === "command" ? "PUT" : "POST";
  const reply = await node.call(method, `/graph/${kind}`, token, { correlationId: "c", [kind]: fields });
  assert.equal(reply.status, 200, await reply.clone().text());
  return ((await reply.json()) as { result: Record<string, unknown> }).result;
}

async function templatesAt(node: CloudProcess, token: string): Promise<unknown[]> {
  const { data } = await asked(node, token, "query", { type: "ListTenantQuery" });
  return (data as { tenantId: string; displayName: string }[]).map(({ displayName }) => displayName);
}

test("what one node has answered as done, every other one shows at once", async () => {
  assert.ok(a && b && c);
  assert.deepEqual(
    [await status(a), await status(b), await status(c)],
    ["serving", "following", "following"],
  );
  const token = await b.logIn("owner@example.org");
  for (let count = 0; count < 20; count++) {
    const writing: CloudProcess = count % 2 === 0 ? b : c;
    const reading: CloudProcess = count % 2 === 0 ? c : a;
    const { data } = await asked(writing, token, "query", { type: "ListSubscriptionQuery" });
    const subscriptionId = (data as { subscriptionId: string }[])[0]?.subscriptionId ?? assert.fail();
    const made = { type: "CreateResourceGroupCommand", subscriptionId, name: `group-${count}` };
    assert.equal((await asked(writing, token, "command", made))["error"], undefined);
    const listed = { type: "ListResourceGroupQuery", subscriptionId, pageSize: 100 };
    const groups = (await asked(reading, token, "query", listed))["data"] as { name: string }[];
    assert.ok(
      groups.some(({ name }) => name === `group-${count}`),
      `${count}`,
    );
  }
  assert.ok((await templatesAt(a, token)).length > 0);
});

test("a node that follows writes soon after the writer was killed, and knows what was acknowledged", async () => {
  assert.ok(a && b && c);
  const token = await c.logIn("second@example.org");
  const begun = performance.now();
  await a.kill();
  const again = await b.logIn("second@example.org");
  assert.ok(performance.now() - begun < 15_000, `${performance.now() - begun}`);
  assert.equal((await c.call("GET", "/ui/0.2/user/hubkeys", token)).status, 200);
  assert.equal((await c.call("GET", "/ui/0.2/user/hubkeys", again)).status, 200);
  assert.deepEqual([await status(b), await status(c)].toSorted(), ["following", "serving"]);
});
