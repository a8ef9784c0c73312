// Three processes of one cloud, with real servers between them.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { dialTunnel } from "@ledge/link/tunnel";
import { features } from "@ledge/model";
import { temporaryFolder, until } from "@ledge/testkit";
import { freePort } from "@ledge/testkit/free-port";
import { NatsServer } from "@ledge/testkit/nats";
import { PostgresServer } from "@ledge/testkit/postgres";
import { HttpTransportType, type HubConnection, HubConnectionBuilder, LogLevel } from "@microsoft/signalr";
import { TestReceiver } from "../egress/test-receiver.ts";
import { transports } from "../push/test-client.ts";
import { type Answer, TestTunnel } from "../relay/test-relay.ts";
import { CloudProcess } from "../testdata/cloud-process.ts";
import { TestHub } from "../testdata/open-cloud.ts";
import { type CollectedSpan, TraceCollector } from "../testdata/trace-collector.ts";

const root = temporaryFolder();
let database: PostgresServer;
let broker: NatsServer;
const nodes = new Map<string, CloudProcess>();
const tunnels: TestTunnel[] = [];
const config = join(root.path, "cloud.json");
let receiver: TestReceiver;
let collector: TraceCollector;

const folderOf = (name: string): string => join(root.path, name);
const node = (name: "a" | "b" | "c"): CloudProcess => nodes.get(name) ?? assert.fail(name);

/** Starts a process, with the secret key of the first one. */
async function start(name: string): Promise<CloudProcess> {
  const folder = folderOf(name);
  if (!existsSync(join(folder, "secret-key")) && nodes.size > 0) {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    copyFileSync(join(folderOf("a"), "secret-key"), join(folder, "secret-key"));
  }
  const port = await freePort();
  // The client of a user of `b` gets there by `a` or `c` alone.
  const own = name === "b" ? [] : ["--node", `http://127.0.0.1:${port}`];
  const servers = ["--store", database.url(), "--bus", broker.url(), "--config", config];
  const args = [...servers, "--port", `${port}`, ...own];
  const started = await collector.traced(name, () => CloudProcess.start(folder, ...args));
  nodes.set(name, started);
  return started;
}

before(async () => {
  writeFileSync(config, JSON.stringify({ egress: { networks: ["127.0.0.0/8"] } }));
  [database, broker, receiver, collector] = await Promise.all([
    PostgresServer.start(),
    NatsServer.start(),
    TestReceiver.start(),
    TraceCollector.start(),
  ]);
  await start("a");
  await Promise.all([start("b"), start("c")]);
});

after(async () => {
  for (const tunnel of tunnels) tunnel.kill();
  await Promise.all([...nodes.values()].map((each) => each.kill()));
  await Promise.all([database.remove(), broker.kill(), receiver.stop()]);
  collector.stop();
  root.remove();
});

const statuses = async (): Promise<string[]> =>
  Promise.all(
    [...nodes.values()].map(
      async (each) => ((await (await each.call("GET", "/healthz")).json()) as { status: string }).status,
    ),
  );

async function figuresOf(at: CloudProcess): Promise<ReadonlyMap<string, number>> {
  const lines = (await at.metrics()).matchAll(/^(ledge_\w+) (\S+)$/gm);
  return new Map([...lines].map(([, name = "", value]) => [name, Number(value)]));
}

type Result = Record<string, unknown>;

async function asked(
  at: CloudProcess,
  token: string,
  kind: "command" | "query",
  fields: object,
): Promise<Result> {
  const method = kind === "command" ? "PUT" : "POST";
  const reply = await at.call(method, `/graph/${kind}`, token, { [kind]: fields });
  assert.equal(reply.status, 200, await reply.clone().text());
  return ((await reply.json()) as { result: Result }).result;
}

/** Makes a site of an account. @returns its id */
async function siteOf(at: CloudProcess, token: string): Promise<string> {
  const { data } = await asked(at, token, "query", { type: "ListSubscriptionQuery" });
  const { subscriptionId } = (data as { subscriptionId: string }[])[0] ?? assert.fail();
  const place = { subscriptionId, resourceGroupName: "homes" };
  await asked(at, token, "command", { type: "CreateResourceGroupCommand", subscriptionId, name: "homes" });
  const wanted = { type: "CreateResourceCommand", ...place, name: "villa", provider: "Vendor.Sites" };
  const { resource } = await asked(at, token, "command", wanted);
  return (resource as { properties: { siteId: string } }).properties.siteId;
}

const room = (siteId: string, name: string): object => ({
  type: "CreateEntitySiteCommand",
  siteId,
  entity: { type: "room", name },
});

async function roomsOf(at: CloudProcess, token: string, siteId: string): Promise<string[]> {
  const query = { type: "FindEntitiesSiteQuery", siteId, globPattern: "*", pageSize: 2000 };
  const { data } = await asked(at, token, "query", query);
  return (data as { name: string }[]).map(({ name }) => name);
}

test("what one process has answered as done, every other one shows at once", async () => {
  const [a, b, c] = [node("a"), node("b"), node("c")];
  assert.deepEqual(await statuses(), ["serving", "following", "following"]);
  const token = await b.logIn("owner@example.org");
  const siteId = await siteOf(b, token);
  for (let count = 0; count < 12; count++) {
    const writing: CloudProcess = count % 2 === 0 ? b : c;
    const reading: CloudProcess = count % 2 === 0 ? c : a;
    assert.equal((await asked(writing, token, "command", room(siteId, `room-${count}`)))["error"], undefined);
    assert.ok((await roomsOf(reading, token, siteId)).includes(`room-${count}`), `${count}`);
  }
  const figures = await until("all know each other", async () => {
    const found = await Promise.all([a, b, c].map(figuresOf));
    return found.every((each) => each.get("ledge_processes") === 3) && found;
  });
  const all = (name: string): (number | undefined)[] => figures.map((each) => each.get(`ledge_${name}`));
  assert.deepEqual([all("writing"), all("behind_seconds")[0]], [[1, 0, 0], 0]);
  for (const seconds of [...all("lease_age_seconds"), ...all("behind_seconds")])
    assert.ok(seconds !== undefined && seconds < 10, `${seconds}`);
});

/** Answers with what was asked. */
const echo: Answer = (stream, headers) => {
  const path = String(headers[":path"]);
  if (path.includes("/silent")) return stream.close();
  const size = Number(new URL(path, "http://hub").searchParams.get("size") ?? 0);
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("end", () => {
    stream.respond({ ":status": 200, "content-type": "application/json" });
    const { "x-forwarded-for": from, ":method": method } = headers;
    stream.end(
      JSON.stringify({ path, method, from, body: Buffer.concat(chunks).toString(), fill: "x".repeat(size) }),
    );
  });
};

interface Owned {
  readonly hub: TestHub;
  readonly hubToken: string;
  readonly token: string;
  readonly hubKey: string;
}

async function owned(at: CloudProcess, email: string): Promise<Owned> {
  const hub = await TestHub.make();
  const hubToken = await at.connect(hub, [features.REMOTE_USAGE]);
  assert.equal((await at.call("POST", "/hub/claim", hubToken, { email })).status, 200);
  const token = await at.logIn(email);
  const { [hub.id]: hubKey = "" } = await at.hubKeys(token);
  return { hub, hubToken, token, hubKey };
}

async function dial(at: CloudProcess, token: string): Promise<TestTunnel> {
  const signal = AbortSignal.timeout(10_000);
  const tunnel = new TestTunnel(
    await dialTunnel({ url: at.address, token, transport: "upgrade", signal }),
    echo,
  );
  tunnels.push(tunnel);
  await tunnel.opened;
  return tunnel;
}

function relayed(
  at: CloudProcess,
  { token, hubKey }: Owned,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = { authorization: token, "x-hub-key": hubKey };
  return fetch(`${at.address}/relay${path}`, { ...init, headers });
}

const isConnected = async (at: CloudProcess, { hub, token }: Owned): Promise<boolean> => {
  const { hub: shown } = await asked(at, token, "query", { type: "GetHubQuery", hubId: hub.id });
  return (shown as { connected: boolean }).connected;
};

test("a request reaches the hub from whichever process it comes to, as from that of the tunnel", async () => {
  const [a, b, c] = [node("a"), node("b"), node("c")];
  const home = await owned(b, "home@example.org");
  const refused = await relayed(c, home, "/hub");
  // The session that one process has opened is known to all.
  const tunnel = await dial(c, home.hubToken);
  await until("all know the hub", async () => (await isConnected(a, home)) && (await isConnected(b, home)));
  const path = "/cc/1.14/devices?size=300000";
  const answers = await Promise.all(
    [a, b, c].map((at) => relayed(at, home, path, { method: "PUT", body: "on" })),
  );
  const bodies = await Promise.all(answers.map((answer) => answer.json() as Promise<Result>));
  for (const [at, body] of bodies.entries()) {
    assert.deepEqual([answers[at]?.status, body], [200, bodies[2]]);
    assert.deepEqual(
      [body["path"], body["method"], body["body"]],
      ["/cc/1.14/devices?size=300000", "PUT", "on"],
    );
  }
  const headers = [...(answers[0]?.headers.keys() ?? [])].filter((name) => name !== "keep-alive");
  assert.deepEqual(
    headers,
    [...(answers[2]?.headers.keys() ?? [])].filter((name) => name !== "keep-alive"),
  );
  assert.match(((await refused.json()) as { message: string }).message, /not connected|offline/);

  const silent = await Promise.all([a, c].map((at) => relayed(at, home, "/cc/1.14/silent")));
  assert.deepEqual(
    silent.map(({ status }) => status),
    [502, 502],
  );
  const call = { type: "CallHubQuery", hubId: home.hub.id, path: "/devices" };
  const [here, there] = await Promise.all([c, b].map((at) => asked(at, home.token, "query", call)));
  assert.equal(here?.["status"], 200);
  assert.match(JSON.stringify(there?.["value"]), /"path":"\/cc\/1\.14\/devices"/);

  tunnel.kill();
  await until("all know that it is gone", async () => !(await isConnected(a, home)));
  const gone = await Promise.all([a, c].map((at) => relayed(at, home, "/hub")));
  assert.deepEqual(
    gone.map(({ status }) => status),
    [408, 408],
  );
  await dial(b, home.hubToken);
  await until("it is back elsewhere", async () => (await relayed(a, home, "/hub")).status === 200);
});

interface Push {
  readonly type: string;
  readonly entity?: { readonly name: string };
}

/** Opens an ordinary client. @returns what it was pushed */
async function client(
  at: CloudProcess,
  token: string,
  transport: (typeof transports)[number][1],
): Promise<{ connection: HubConnection; pushes: Push[] }> {
  const connection = new HubConnectionBuilder()
    .withUrl(`${at.address}/hub/v1`, { accessTokenFactory: () => token, transport })
    .withAutomaticReconnect(Array.from({ length: 100 }, () => 100))
    .configureLogging(LogLevel.None)
    .build();
  await connection.start();
  const pushes: Push[] = [];
  listen(connection, pushes);
  return { connection, pushes };
}

function listen(connection: HubConnection, pushes: Push[]): void {
  connection
    .stream<{ push: Push }>("Push", {})
    .subscribe({ next: ({ push }) => void pushes.push(push), error: () => {}, complete: () => {} });
}

test("clients of all transports at all processes get each push once, whoever has written", async () => {
  const all = [node("a"), node("b"), node("c")];
  const first = await node("a").logIn("pushed@example.org");
  const siteId = await siteOf(node("a"), first);
  const clients = [];
  for (const [at, [, transport]] of transports.entries()) {
    const to = all[at] ?? assert.fail();
    clients.push(await client(to, first, transport));
  }
  const names = (pushes: readonly Push[]): string[] =>
    pushes
      .flatMap(({ type, entity }) => (type === "EntitySitePush" && entity ? [entity.name] : []))
      .toSorted();
  const sessionId = "fetching-session";
  const fetching = all.map(async (at, count) => {
    const own = `${sessionId}-${count}`;
    const seen = new Set<string>();
    // A session keeps its pushes from one fetch to the next.
    return await until("the pushes of a session", async () => {
      const reply = await at.call("POST", "/graph/push", first, { sessionId: own, wait: 5 });
      const fetched = (await reply.json()) as { push: Push }[];
      for (const name of names(fetched.map(({ push }) => push))) seen.add(name);
      return seen.size >= 3 && [...seen].toSorted();
    });
  });
  const subscribed = await asked(node("c"), first, "command", {
    type: "SubscribeSiteCommand",
    siteId,
    sessionId,
  });
  assert.equal(subscribed["error"], undefined);
  for (const { pushes } of clients)
    await until("the stream is open", () => pushes.some(({ type }) => type === "HeartbeatPush"));
  for (const [count, at] of all.entries()) await asked(at, first, "command", room(siteId, `pushed-${count}`));
  for (const { pushes } of clients) {
    await until("all pushes", () => names(pushes).length >= 3);
    assert.deepEqual(names(pushes), ["pushed-0", "pushed-1", "pushed-2"]);
  }
  for (const seen of await Promise.all(fetching))
    assert.deepEqual(seen, ["pushed-0", "pushed-1", "pushed-2"]);
  await Promise.all(clients.map(({ connection }) => connection.stop()));
});

/** Returns which process is the home of a user. */
async function homeOf(token: string): Promise<CloudProcess> {
  // Clients are sent to all but this one.
  const reply = await node("b").call("POST", "/hub/v1/negotiate?negotiateVersion=1", token);
  const { url } = (await reply.json()) as { url?: string };
  const home = [...nodes.values()].find(({ address }) => url?.startsWith(`${address}/`));
  return url === undefined ? node("b") : (home ?? assert.fail(url));
}

/** Logs somebody in whose home is a process. @returns the token */
async function livesAt(home: CloudProcess, at: CloudProcess, name: string): Promise<string> {
  for (let count = 0; count < 30; count++) {
    const token = await at.logIn(`${name}-${count}@example.org`);
    if ((await homeOf(token)) === home) return token;
  }
  assert.fail("nobody lives there");
}

test("a change at one process, its commit by the writer and its push by a third are one trace", async () => {
  const [b, c] = [node("b"), node("c")];
  const token = await livesAt(c, b, "traced");
  const siteId = await siteOf(b, token);
  const { connection, pushes } = await client(c, token, HttpTransportType.WebSockets);
  await connection.invoke("Command", { command: { type: "SubscribeSiteCommand", siteId } });
  const names = ["CreateEntitySiteCommand", "commit", "submit", "EntitySitePush"] as const;
  const tried: string[] = [];
  // A process may hear of a change before it hears of its trace.
  const [request, commit, submit, push] = await until("a whole trace", async () => {
    const made = `traced-${tried.length}`;
    const reply = await b.call("PUT", "/graph/command", token, { command: room(siteId, made) });
    const { traceparent } = (await reply.json()) as { traceparent: string };
    tried.push(traceparent.split("-")[1] ?? assert.fail(traceparent));
    await until(`the push of ${made}`, () => pushes.some(({ entity }) => entity?.name === made));
    const found = tried.map((id) => {
      const own = collector.spans.filter(({ traceId }) => traceId === id);
      return names.map((name) => own.find((span) => span.name === name));
    });
    return found.find((spans): spans is CollectedSpan[] => spans.every((span) => span !== undefined));
  });
  assert.ok(request && commit && submit && push);
  assert.deepEqual(
    [request, commit, submit, push].map(({ process }) => process),
    ["b", "b", "a", "c"],
  );
  assert.deepEqual(
    [commit.parentSpanId, submit.parentSpanId, push.parentSpanId],
    [request.spanId, commit.spanId, request.spanId],
  );
  assert.ok(!collector.spans.some(({ name }) => name === "traced"), "what is told about traces is in none");
  await connection.stop();
});

test("a process that follows writes soon after the writer was killed, and sends on where it has stopped", async () => {
  const [a, b, c] = [node("a"), node("b"), node("c")];
  const token = await c.logIn("second@example.org");
  const siteId = await siteOf(c, token);
  const target = { $type: "rest", id: "main", url: receiver.url, fetchMaxEvents: 2 };
  const created = await asked(b, token, "command", { type: "CreateEgressTargetSiteCommand", siteId, target });
  receiver.secrets.push((created["target"] as { secret: string }).secret);
  const made: string[] = [];
  const make = async (at: CloudProcess): Promise<void> => {
    const name = `sent-${made.length}`;
    assert.equal((await asked(at, token, "command", room(siteId, name)))["error"], undefined);
    made.push(name);
  };
  for (let count = 0; count < 4; count++) for (const at of [b, c]) await make(at);
  await until("some events", () => receiver.events.length > 0);
  const begun = performance.now();
  await a.kill();
  nodes.delete("a");
  assert.deepEqual((await roomsOf(b, token, siteId)).length, made.length, "reads go on");
  await make(b);
  const ms = performance.now() - begun;
  assert.ok(ms < 15_000, `${ms}`);
  await make(c);
  assert.deepEqual((await roomsOf(c, token, siteId)).toSorted(), made.toSorted());
  assert.deepEqual((await statuses()).toSorted(), ["following", "serving"]);
  await until("the last event", () => receiver.events.some(({ path }) => path === made.at(-1)));
  // What was under way when the writer was killed may come twice, under the same id.
  assert.deepEqual([...new Set(receiver.events.map(({ path }) => path))], made);
  const batches = new Map(receiver.received.map(({ body }) => [body.batchId, body.events.length]));
  const sent = [...batches.values()].reduce((sum, events) => sum + events, 0);
  assert.equal(sent, made.length, "no event is in two batches");
  assert.ok(receiver.received.every(({ isSigned }) => isSigned));
});

/** Returns the name of the process that is the home of a user while all three live (decision 147). */
async function homeOfThree(at: CloudProcess, token: string): Promise<string | undefined> {
  const { uid } = (await (await at.call("GET", "/ui/0.2/user", token)).json()) as { uid: string };
  const weights = ["a", "b", "c"].map((name) => {
    const own = readFileSync(join(folderOf(name), "node"), "utf8").trim();
    return { name, weight: hash("sha256", `${own} ${uid}`) };
  });
  return weights.toSorted((one, other) => (one.weight < other.weight ? 1 : -1))[0]?.name;
}

test("a session of fetches gets its pushes on when its home moves to a process that joins", async () => {
  const [b, c] = [node("b"), node("c")];
  let count = 0;
  const token = await until("a user of the first process", async () => {
    const made = await c.logIn(`moving-${count++}@example.org`);
    return (await homeOfThree(c, made)) === "a" && made;
  });
  assert.ok([b, c].includes(await homeOf(token)));
  const siteId = await siteOf(c, token);
  const sessionId = "moving";
  await asked(c, token, "command", { type: "SubscribeSiteCommand", siteId, sessionId });
  const gets = (name: string): Promise<unknown> =>
    until(`the push of ${name}`, async () => {
      const reply = await b.call("POST", "/graph/push", token, { sessionId, wait: 1 });
      return (await reply.text()).includes(name);
    });
  await asked(c, token, "command", room(siteId, "before"));
  await gets("before");
  const a = await start("a");
  await until("the user has moved", async () => (await homeOf(token)) === a);
  await asked(c, token, "command", room(siteId, "afterwards"));
  await gets("afterwards");
});

test("a client whose process is killed comes back at another one, and gets what it has missed", async () => {
  const isWriting = (await statuses())[0] === "serving";
  const [stays, goes] = isWriting ? (["b", "c"] as const) : (["c", "b"] as const);
  const [survivor, home] = [node(stays), node(goes)];
  const token = await livesAt(home, survivor, "watching");
  const siteId = await siteOf(survivor, token);
  const { connection, pushes } = await client(survivor, token, HttpTransportType.WebSockets);
  const subscribe = (): Promise<unknown> =>
    connection.invoke("Command", { command: { type: "SubscribeSiteCommand", siteId } });
  const gets = (name: string): Promise<unknown> =>
    until(`the push of ${name}`, () => pushes.some(({ entity }) => entity?.name === name));
  const make = async (name: string): Promise<void> => {
    assert.equal((await asked(survivor, token, "command", room(siteId, name)))["error"], undefined);
  };
  const { promise: isBack, resolve: back } = Promise.withResolvers<void>();
  connection.onreconnected(() => back());
  await subscribe();
  await make("before");
  await gets("before");
  await home.kill();
  nodes.delete(goes);
  await make("meanwhile");
  await isBack;
  // As every client does: what it has subscribed to ends with its connection.
  listen(connection, pushes);
  await subscribe();
  await gets("meanwhile");
  await make("afterwards");
  await gets("afterwards");
  await connection.stop();
});
