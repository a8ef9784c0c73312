// Two processes that claim to be the same hub compete for its link.
import assert from "node:assert/strict";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { connect } from "node:net";
import { afterEach, test } from "node:test";
import { type CloneRefusal, DialError, type Transport } from "@ledge/link/tunnel";
import { until } from "@ledge/testkit";
import { TestRelay, type TestTunnel } from "./test-relay.ts";

const relays: TestRelay[] = [];
afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.close();
});

/**
 * Opens a relay that knows the processes `a` and `b` of one hub by these tokens; `b` has the given
 * generation.
 */
async function open(generation = 0, cloneAnswerMs = 5000): Promise<TestRelay> {
  const relay = await TestRelay.open({ cloneAnswerMs });
  relays.push(relay);
  for (const instance of ["a", "b"]) {
    relay.hubs.set(instance, "hub-1");
    relay.processes.set(instance, { generation: instance === "b" ? generation : 0, instance });
  }
  return relay;
}

type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** Answers with its name, and collects what the cloud tells it about clones. */
function named(name: string, told: string[] = []): Answer {
  return (stream, headers) => {
    stream.respond({ ":status": 200 });
    stream.end(name);
    if (headers[":path"] === "/.ledge/clone") stream.on("data", (chunk: Buffer) => told.push(String(chunk)));
  };
}

/** Never answers, like a process that is gone. */
const silent: Answer = () => {};

const dial = (relay: TestRelay, token: string, answer: Answer): Promise<TestTunnel> =>
  relay.dial(answer, "upgrade", token);

async function refusalOf(
  relay: TestRelay,
  token: string,
  transport: Transport = "upgrade",
): Promise<CloneRefusal | undefined> {
  const error: unknown = await relay.dial(silent, transport, token).then(
    () => assert.fail("the cloud accepted the dial"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DialError, String(error));
  assert.equal(error.status, 409);
  return error.clone;
}

const served = async (relay: TestRelay): Promise<string> => (await relay.get("/relay/hub")).text();

test("refuses a copy, however often it dials, while the holder of the link answers", async () => {
  const relay = await open();
  const told: string[] = [];
  await dial(relay, "a", named("a", told));
  const same: CloneRefusal = { kind: "same", newest: 0 };
  for (let dials = 0; dials < 20; dials++)
    assert.deepEqual(await refusalOf(relay, "b", dials % 2 === 0 ? "upgrade" : "websocket"), same);
  assert.equal(await served(relay), "a");
  assert.deepEqual(relay.clones[0], ["hub-1", "same"]);
  await until(() => told.length === 20);
  assert.equal(told[0], '{"kind":"same"}');
  assert.deepEqual(relay.told, [["hub-1", true]]);
});

test("gives the link at once to the same process that dials again from another network", async () => {
  const relay = await open(0, 600_000);
  await dial(relay, "a", silent);
  await dial(relay, "a", named("a, elsewhere"));
  assert.equal(await served(relay), "a, elsewhere");
  assert.deepEqual(relay.clones, []);
});

test("gives the link to the successor of a process that died silently, and reports no clone", async () => {
  const relay = await open(0, 50);
  await dial(relay, "a", silent);
  await dial(relay, "b", named("b"));
  assert.equal(await served(relay), "b");
  assert.deepEqual(relay.clones, []);
});

test("gives the link at once to the successor of a process that said goodbye or was killed", async () => {
  for (const end of ["leave", "kill"] as const) {
    const relay = await open(0, 600_000);
    const first = await dial(relay, "a", named("a"));
    first[end]();
    await until(() => relay.told.length === 2);
    await dial(relay, "b", named("b"));
    assert.equal(await served(relay), "b");
    assert.deepEqual(relay.clones, []);
  }
});

test("gives the link to one of two that dial at once while the holder is silent", async () => {
  // The new holder has as long to answer for the other one, on a busy machine too.
  const relay = await open(0, 2000);
  relay.hubs.set("c", "hub-1");
  relay.processes.set("c", { generation: 0, instance: "c" });
  await dial(relay, "a", silent);
  const dials = await Promise.allSettled([dial(relay, "b", named("b")), dial(relay, "c", named("c"))]);
  assert.deepEqual(dials.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  assert.match(await served(relay), /^[bc]$/);
});

test("gives the link to a newer generation, and never again to the older one", async () => {
  const relay = await open(7);
  const told: string[] = [];
  const older = await dial(relay, "a", named("a"));
  relay.newest = 7;
  const newer = await dial(relay, "b", named("b", told));
  await older.goodbye;
  assert.deepEqual(await refusalOf(relay, "a"), { kind: "older", newest: 7 });
  await until(() => told.includes('{"kind":"older"}'));
  assert.equal(await served(relay), "b");
  newer.kill();
  await until(() => relay.relay.tunnels.size === 0);
  assert.deepEqual(await refusalOf(relay, "a"), { kind: "older", newest: 7 });
  assert.deepEqual(relay.clones, [
    ["hub-1", "older"],
    ["hub-1", "older"],
  ]);
});

test("frees everything when a caller leaves while the relay asks the holder", async () => {
  const slow = await open(0, 100);
  const asked = Promise.withResolvers<void>();
  await dial(slow, "a", (stream, headers) => {
    if (headers[":path"] === "/.ledge/ping") return asked.resolve();
    stream.respond({ ":status": 200 });
    stream.end("a");
  });
  const socket = connect(slow.port, "127.0.0.1");
  const head = "GET /hub/tunnel HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ledge-tunnel/1\r\n";
  socket.write(`${head}Authorization: Bearer b\r\n\r\n`);
  await asked.promise;
  socket.resetAndDestroy();
  await until(() => slow.connections === 1);
  await until(() => slow.timers.size === 1);
  assert.equal(await served(slow), "a");
  assert.equal(slow.relay.tunnels.sessions, 1);
});
