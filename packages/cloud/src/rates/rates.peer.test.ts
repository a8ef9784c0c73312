// Limits of callers over processes that share a broker.
import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { temporaryFolder, until } from "@ledge/testkit";
import { freePort } from "@ledge/testkit/free-port";
import { NatsServer } from "@ledge/testkit/nats";
import { PostgresServer } from "@ledge/testkit/postgres";
import { CloudProcess } from "../testdata/cloud-process.ts";

const root = temporaryFolder();
let database: PostgresServer;
let broker: NatsServer;
let token: string;
let monitor: string;
const nodes: CloudProcess[] = [];

/** https://docs.nats.io/running-a-nats-service/nats_admin/monitoring#connection-information */
interface ConnectionsOfBroker {
  readonly num_connections: number;
}

/** Each process writes a copy of one database: so they have the same accounts and keys, and serve at the same time. */
before(async () => {
  const port = await freePort();
  monitor = `http://127.0.0.1:${port}`;
  [database, broker] = await Promise.all([PostgresServer.start(), NatsServer.start("-m", `${port}`)]);
  const config = join(root.path, "cloud.json");
  writeFileSync(config, JSON.stringify({ trustedProxies: ["127.0.0.1"], bus: broker.url() }));
  const first = join(root.path, "node-0");
  const start = (folder: string, store: string): Promise<CloudProcess> =>
    CloudProcess.start(folder, "--store", store, "--config", config);
  const cloud = await start(first, database.url());
  token = await cloud.logIn("busy@example.org");
  await cloud.stop();
  for (const at of [1, 2]) {
    database.tool("createdb", "-T", "postgres", `copy${at}`);
    cpSync(first, join(root.path, `node-${at}`), {
      recursive: true,
      filter: (path) => !path.endsWith(".sock"),
    });
  }
  const starting = [1, 2].map((at) => start(join(root.path, `node-${at}`), database.url(`copy${at}`)));
  nodes.push(...(await Promise.all(starting)));
});

after(async () => {
  for (const node of nodes) await node.kill();
  await Promise.all([database.remove(), broker.kill()]);
  root.remove();
});

/** How many requests the processes admit, all asked at once, until each has refused one; and how long that took (s). */
async function admitted(ask: (node: CloudProcess) => Promise<Response>): Promise<[count: number, s: number]> {
  const begun = performance.now();
  const counts = await Promise.all(
    nodes.map(async (node) => {
      for (let count = 0; ; count++) {
        const answer = await ask(node);
        await answer.arrayBuffer();
        if (answer.status === 429) return count;
        assert.equal(answer.status, 200);
      }
    }),
  );
  return [counts.reduce((sum, count) => sum + count, 0), (performance.now() - begun) / 1000];
}

const healthFrom =
  (address: string) =>
  ({ address: at }: CloudProcess): Promise<Response> =>
    fetch(`${at}/healthz`, { headers: { "x-forwarded-for": address, "x-forwarded-proto": "https" } });

/** Asserts that a limit per minute held over the processes, with what they may admit before they have told each other. */
function assertHeld(
  count: number,
  seconds: number,
  most: number,
  t: { diagnostic(text: string): void },
): void {
  const allowed = most + (most / 60) * seconds;
  t.diagnostic(`${count} admitted of ${Math.floor(allowed)}`);
  const slack = ((nodes.length - 1) * most) / limits.rateParts;
  // A message may be late on a busy machine: it is still far from an allowance for each process.
  assert.ok(count >= most - 1 && count <= allowed + slack + most / 8, `${count} of ${allowed}`);
}

test("an address has one allowance at all processes", async (t) => {
  const [count, seconds] = await admitted(healthFrom("198.51.100.7"));
  assertHeld(count, seconds, limits.openReadsPerMinutePerAddress, t);
});

test("a user has one allowance at all processes", async (t) => {
  const query = { query: { type: "ListHubsQuery" } };
  const [count, seconds] = await admitted((node) => node.call("POST", "/graph/query", token, query));
  assertHeld(count, seconds, limits.graphRequestsPerMinute, t);
});

test("each process counts alone without the broker, and together again when it is back", async (t) => {
  await broker.kill();
  const most = limits.openReadsPerMinutePerAddress;
  const [alone] = await admitted(healthFrom("198.51.100.8"));
  assert.ok(alone >= nodes.length * most, `${alone}`);
  await broker.resume();
  await until("both are back", async () => {
    const { num_connections: count } = (await (
      await fetch(`${monitor}/connz`)
    ).json()) as ConnectionsOfBroker;
    return count === nodes.length;
  });
  const [count, seconds] = await admitted(healthFrom("198.51.100.9"));
  assertHeld(count, seconds, most, t);
});
