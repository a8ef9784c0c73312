import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock, until } from "@ledge/testkit";
import { RefusedError } from "../errors.ts";
import { clientOf, openTestHub } from "../test-hub.ts";
import { negotiate, negotiated, RawClient } from "../test-raw.ts";

const transports = [
  { transport: "WebSockets", transferFormats: ["Text", "Binary"] },
  { transport: "ServerSentEvents", transferFormats: ["Text"] },
  { transport: "LongPolling", transferFormats: ["Text", "Binary"] },
];

test("version 1 gives a secret token beside the public id", async () => {
  await using world = await openTestHub();
  const { status, headers, body } = await negotiate(world.url);
  const { connectionId, connectionToken, ...rest } = body;
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "application/json");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.deepEqual(rest, { negotiateVersion: 1, availableTransports: transports });
  assert.match(String(connectionId), /^[\w-]{22}$/);
  assert.match(String(connectionToken), /^[\w.-]{60,200}$/);
  await assert.rejects(RawClient.open(`${world.url}?id=${String(connectionId)}`), /404/);
  const client = await RawClient.start(`${world.url}?id=${String(connectionToken)}`);
  assert.equal(world.connection.id, connectionId);
  client.webSocket.terminate();
});

test("version 0 gives one id", async () => {
  await using world = await openTestHub();
  for (const query of ["", "?negotiateVersion=0", "?negotiateVersion=x"]) {
    const { body } = await negotiate(world.url, query);
    assert.deepEqual(Object.keys(body).toSorted(), [
      "availableTransports",
      "connectionId",
      "negotiateVersion",
    ]);
    assert.equal(body["negotiateVersion"], 0);
    const client = await RawClient.start(`${world.url}?id=${String(body["connectionId"])}`);
    client.webSocket.terminate();
  }
});

test("a later version gets version 1", async () => {
  await using world = await openTestHub();
  assert.equal((await negotiate(world.url, "?negotiateVersion=7")).body["negotiateVersion"], 1);
});

test("a connection is stateful only if the client asks for that", async () => {
  await using world = await openTestHub();
  const asked = await negotiate(world.url, "?negotiateVersion=1&useStatefulReconnect=true");
  assert.equal(asked.body["useStatefulReconnect"], true);
  for (const query of ["?negotiateVersion=1", "?negotiateVersion=1&useStatefulReconnect=false"]) {
    assert.equal("useStatefulReconnect" in (await negotiate(world.url, query)).body, false);
  }
});

test("a socket without an id is a new connection", async () => {
  await using world = await openTestHub();
  const client = clientOf(world.url, { skipNegotiation: true });
  await client.start();
  assert.equal(world.hub.connections.size, 1);
  await client.stop();
  await until(() => world.hub.connections.size === 0);
});

test("negotiates with POST only", async () => {
  await using world = await openTestHub();
  for (const method of ["GET", "PUT", "DELETE"]) {
    const { status } = await fetch(`${world.url}/negotiate`, { method });
    assert.equal(status, 405, method);
  }
});

test("a token is good for its user, for a while, and for one connection", async () => {
  const clock = new SimulatedClock();
  await using world = await openTestHub({
    clock,
    authenticate: ({ token }) => (token === undefined ? undefined : { id: token }),
  });
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  const address = async (): Promise<string> => {
    const { body } = await negotiate(world.url, "?negotiateVersion=1", as("ann"));
    return `${world.url}?id=${String(body["connectionToken"])}`;
  };

  await assert.rejects(RawClient.open(await address(), as("bob")), /404/);
  await assert.rejects(RawClient.open(`${await address()}x`, as("ann")), /404/);
  await assert.rejects(RawClient.open(`${world.url}?id=${"x".repeat(5000)}`, as("ann")), /404/);

  const inTime = await address();
  clock.advance(14_999);
  const client = await RawClient.start(inTime, as("ann"));
  await assert.rejects(RawClient.open(inTime, as("ann")), /409/);
  await assert.rejects(RawClient.open(inTime, as("bob")), /404/);
  client.webSocket.terminate();
  await until(() => world.hub.connections.size === 0);
  await assert.rejects(RawClient.open(inTime, as("ann")), /404/, "it is used up");

  const late = await address();
  clock.advance(15_001);
  await assert.rejects(RawClient.open(late, as("ann")), /404/);
});

test("keeps nothing of 10,000 negotiations that lead to no connection", async () => {
  const clock = new SimulatedClock();
  await using world = await openTestHub({ clock });
  for (let count = 0; count < 10_000; count++) {
    const request = new Request(`${world.url}/negotiate?negotiateVersion=1`, { method: "POST" });
    assert.equal((await world.hub.fetch(request)).status, 200);
  }
  assert.equal(clock.waiting, 0);
  assert.equal(world.hub.connections.size, 0);
});

test("refuses whom authenticate refuses, in every way in", async () => {
  const answers: Readonly<Record<string, () => undefined>> = {
    nobody: () => undefined,
    many: () => {
      throw new RefusedError(429, "too many", { "retry-after": "7" });
    },
    broken: () => {
      throw new Error("a secret");
    },
  };
  await using world = await openTestHub({ authenticate: ({ token }) => answers[token ?? "nobody"]?.() });
  for (const [token, status] of [
    ["nobody", 401],
    ["many", 429],
    ["broken", 500],
  ] as const) {
    const refused = await negotiate(world.url, `?access_token=${token}`);
    assert.equal(refused.status, status);
    assert.doesNotMatch(JSON.stringify(refused.body), /secret/);
    assert.equal(refused.headers.get("retry-after"), status === 429 ? "7" : null);
    await assert.rejects(RawClient.open(`${world.url}?access_token=${token}`), new RegExp(String(status)));
    for (const method of ["GET", "POST", "DELETE"]) {
      const response = await fetch(`${world.url}?id=x&access_token=${token}`, { method });
      assert.equal(response.status, status, method);
    }
  }
  assert.deepEqual(
    world.errors.map((error) => (error as Error).message),
    Array.from({ length: 5 }, () => "a secret"),
  );
});

test("sends clients elsewhere, with a token for that place", async () => {
  await using there = await openTestHub({
    authenticate: ({ token }) => (token === "for-there" ? { id: "ann" } : undefined),
  });
  await using here = await openTestHub({ redirect: () => ({ url: there.url, accessToken: "for-there" }) });
  const client = clientOf(here.url);
  await client.start();
  assert.equal(here.hub.connections.size, 0);
  assert.equal(there.connection.user.id, "ann");
  await client.stop();
});

test("answers 503 when there are as many connections as allowed", async () => {
  await using world = await openTestHub({ maxConnections: 1 });
  const [first, second] = [await negotiated(world.url), await negotiated(world.url)];
  const client = await RawClient.start(first);
  await assert.rejects(RawClient.open(second), /503/);
  await assert.rejects(RawClient.open(world.url), /503/);
  assert.equal((await fetch(second)).status, 503);
  assert.equal((await negotiate(world.url)).status, 503);
  client.webSocket.terminate();
  await until(() => world.hub.connections.size === 0);
  const next = await RawClient.start(second);
  next.webSocket.terminate();
});
