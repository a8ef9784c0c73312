// Slow readers, draining, and the other ways to serve a hub.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { serve } from "@hono/node-server";
import { until } from "@ledge/testkit";
import { Hono } from "hono";
import type { StreamCall } from "./api.ts";
import { createHub } from "./hub.ts";
import { clientOf, itemsOf, openTestHub, ways } from "./test-hub.ts";
import { RawClient } from "./test-raw.ts";

describe("a slow reader", () => {
  test("is not asked for more items than it takes, and gets all of them once it reads", async () => {
    let made = 0;
    await using world = await openTestHub({
      streams: {
        *many() {
          for (; made < 4000; made++) yield "x".repeat(10_000);
        },
      },
    });
    const client = await RawClient.start(world.url);
    client.webSocket.pause();
    client.send({ type: 4, invocationId: "1", target: "many", arguments: [] });
    const { connection } = world;
    await until(() => connection.isCongested);
    let before = -1;
    await until("the stream rests", () => {
      const rests = before === made && connection.isCongested;
      before = made;
      return rests;
    });
    assert.ok(made < 4000, `${made} items were made`);
    assert.ok(connection.bufferedAmount < 300_000, `${connection.bufferedAmount} bytes`);
    client.webSocket.resume();
    await client.until(4001);
    assert.equal(client.messages.at(-1)?.["type"], 3);
    client.webSocket.terminate();
  });

  test("that is sent to regardless is ended before it costs more than the limit", async () => {
    const ended: unknown[] = [];
    await using world = await openTestHub({
      onDisconnected: (_connection, error) => void ended.push(error?.message),
    });
    const client = await RawClient.start(world.url);
    client.webSocket.pause();
    const { connection } = world;
    const text = "x".repeat(50_000);
    for (let count = 0; count < 10_000 && !connection.signal.aborted; count++) connection.send("news", text);
    await until(() => ended.length === 1);
    assert.deepEqual(ended, ["the client reads too slowly"]);
    assert.equal(connection.bufferedAmount, 0);
    client.webSocket.terminate();
  });

  test("gets the newest value when it catches up, if the stream keeps only that", async () => {
    const calls: StreamCall[] = [];
    await using world = await openTestHub({
      streams: {
        async latest(call) {
          calls.push(call);
          await once(call.signal, "abort");
        },
      },
    });
    const client = await RawClient.start(world.url);
    client.send({ type: 4, invocationId: "1", target: "latest", arguments: [] });
    await until(() => calls.length === 1);
    client.webSocket.pause();
    const [call] = calls;
    for (let value = 0; call?.write(`${value} ${"x".repeat(20_000)}`) === true;) value++;
    const ready = call?.ready();
    client.webSocket.resume();
    await ready;
    call?.write("newest");
    await until(() => client.messages.some(({ item }) => item === "newest"));
    client.webSocket.terminate();
  });
});

describe("draining", () => {
  test("sends clients to another server, without an error, and resolves when they have left", async () => {
    await using world = await openTestHub();
    const client = clientOf(world.url, { reconnects: true });
    const states: string[] = [];
    client.onreconnecting(() => states.push("reconnecting"));
    await client.start();
    await world.hub.drain();
    await until(() => states.length === 1);
    assert.equal(world.hub.connections.size, 0);
    await assert.rejects(RawClient.open(world.url), /503/);
    await client.stop();
  });

  test("resolves at once without clients", async () => {
    await createHub({ path: "/hub" }).drain();
  });
});

describe("a hub in Hono", () => {
  test("answers by its fetch handler over every transport", async () => {
    const hub = createHub({
      path: "/live",
      methods: { add: (_call, a: number, b: number) => a + b },
      streams: {
        async *count(_call, to: number) {
          for (let number = 1; number <= to; number++) yield number;
        },
      },
    });
    const app = new Hono().get("/", (context) => context.text("home"));
    app.all("/live", (context) => hub.fetch(context.req.raw));
    app.all("/live/negotiate", (context) => hub.fetch(context.req.raw));
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    server.on("upgrade", (request, socket, head) => hub.upgrade(request, socket, head));
    if (!server.listening) await once(server, "listening");
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      for (const [name, way] of ways) {
        const client = clientOf(`${base}/live`, way);
        await client.start();
        assert.equal(await client.invoke("add", 1, 2), 3, name);
        assert.deepEqual(await itemsOf(client, "count", 3), [1, 2, 3], name);
        await client.stop();
        await until(`${name} has left`, () => hub.connections.size === 0);
      }
      assert.equal(await (await fetch(base)).text(), "home");
    } finally {
      hub.abort();
      server.close();
    }
  });
});

test("attach leaves other paths to the server's own listeners", async () => {
  const hub = createHub({ path: "/hub" });
  const server = createServer((_request, response) => response.end("mine"));
  hub.attach(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  assert.equal(await (await fetch(`${base}/other`)).text(), "mine");
  await assert.rejects(RawClient.open(`${base}/other`), /404/);
  const client = await RawClient.start(`${base}/hub`);
  hub.abort();
  await client.untilClosed();
  server.closeAllConnections();
  server.close();
});
