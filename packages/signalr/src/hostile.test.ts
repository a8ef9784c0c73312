// Clients that want to harm: each loses its connection or waits, and costs a bounded amount of memory.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { collectGarbage, SimulatedClock, until } from "@ledge/testkit";
import type { Connection } from "./api.ts";
import { prefixed } from "./protocol/test-wire.ts";
import { defaultSettings } from "./settings.ts";
import { openTestHub, type TestHub } from "./test-hub.ts";
import { negotiate, negotiated, RawClient } from "./test-raw.ts";

const handshake = '{"protocol":"json","version":1}\x1e';
const call = (invocationId: string, target: string, ...args: unknown[]): object => ({
  type: 1,
  invocationId,
  target,
  arguments: args,
});
const stream = (invocationId: string, target: string): object => ({
  type: 4,
  invocationId,
  target,
  arguments: [],
});
const post = (address: string, body: string): Promise<Response> => fetch(address, { method: "POST", body });

/** A request that is sent and whose answer is never read. */
async function unread(address: string, accept: string): Promise<Socket> {
  const { hostname, port, pathname, search } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.pause();
  await once(socket, "connect");
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\naccept: ${accept}\r\n\r\n`);
  return socket;
}

/** Starts a connection over Server-Sent Events or long polling whose client reads nothing more. */
async function startUnread(world: TestHub, accept: string): Promise<Socket> {
  const address = await negotiated(world.url);
  if (accept === "*/*") await (await fetch(address)).text();
  const socket = await unread(address, accept);
  // The hub takes the handshake once it has read the request that was sent before.
  for (let left = 1000; (await post(address, handshake)).status !== 200; left--) {
    assert.ok(left > 0, "the hub refuses the handshake");
    await turn();
  }
  await until(() => world.hub.connections.size === 1);
  return socket;
}

describe("a client that reads nothing", () => {
  const transports = [
    ["Server-Sent Events", "text/event-stream"],
    ["long polling", "*/*"],
  ] as const;
  for (const [name, accept] of transports) {
    test(`over ${name} is ended before what it is sent costs more than the limit`, async () => {
      const ended: unknown[] = [];
      await using world = await openTestHub({
        onDisconnected: (_connection, error) => void ended.push(error?.message),
      });
      const socket = await startUnread(world, accept);
      const { connection } = world;
      let most = 0;
      for (let sent = 0; sent < 10_000 && !connection.signal.aborted; sent++) {
        connection.send("news", "x".repeat(10_000));
        most = Math.max(most, connection.bufferedAmount);
        if (sent % 10 === 0) await turn();
      }
      await until(() => ended.length === 1);
      assert.deepEqual(ended, ["the client reads too slowly"]);
      assert.ok(most < 1.1 * defaultSettings.maxUnsentBytes, `${most} bytes`);
      socket.destroy();
    });
  }

  test("does not pile up pings in an hour", async () => {
    const clock = new SimulatedClock();
    await using world = await openTestHub({ clock });
    const client = await RawClient.start(world.url);
    const { connection } = world;
    client.webSocket.pause();
    for (let quarters = 0; quarters < 240; quarters++) {
      // The system may have found room for more.
      await fill(connection);
      client.send({ type: 6 });
      // The pings of the client are messages, and so it stays.
      await roundTrip(world);
      await clock.pass(15_000);
    }
    assert.equal(world.hub.connections.size, 1, "it stays for an hour");
    client.webSocket.resume();
    connection.send("last");
    await until(() => client.messages.at(-1)?.["target"] === "last");
    const pings = client.messages.filter(({ type }) => type === 6).length;
    assert.ok(pings <= 10, `${pings} pings`);
    client.webSocket.terminate();
  });

  test("and sends WebSocket pings gets one pong at a time", async () => {
    await using world = await openTestHub({ methods: { here: () => 1 } });
    const client = await RawClient.start(world.url);
    const { connection } = world;
    client.webSocket.pause();
    const payload = Buffer.alloc(125);
    for (let left = 100_000; left > 0; left--) client.webSocket.ping(payload);
    await until("the pings have been sent", () => client.webSocket.bufferedAmount === 0);
    assert.ok(connection.bufferedAmount < 100_000, `${connection.bufferedAmount} bytes`);
    let pongs = 0;
    client.webSocket.on("pong", () => pongs++);
    client.webSocket.resume();
    client.send(call("1", "here"));
    await client.until(1);
    assert.ok(pongs > 0);
    client.webSocket.terminate();
  });

  test("and calls methods is ended when the answers cost more than the limit", async () => {
    const ended: unknown[] = [];
    await using world = await openTestHub({
      methods: { echo: (_call, text) => text },
      onDisconnected: (_connection, error) => void ended.push(error?.message),
    });
    const client = await RawClient.start(world.url);
    client.webSocket.pause();
    for (let count = 0; ended.length === 0; count++) {
      assert.ok(count < 100_000, "the client is never ended");
      client.send(call(`${count}`, "echo", "x".repeat(50_000)));
      await turn();
    }
    assert.deepEqual(ended, ["the client reads too slowly"]);
    client.webSocket.terminate();
  });
});

/** Sends until the client is behind, and its socket takes no more. */
async function fill(connection: Connection): Promise<void> {
  let left = 100_000;
  for (let full = 0; full < 100; await turn()) {
    assert.ok(left-- > 0, "the socket takes everything");
    full = connection.isCongested ? full + 1 : 0;
    if (full === 0) connection.send("news", "x".repeat(30_000));
  }
}

/** Lets the hub answer a request, so that it has read what came before. */
async function roundTrip(world: TestHub): Promise<void> {
  await negotiate(world.url);
}

describe("a client that sends too much", () => {
  test("waits when its calls are few and large", async () => {
    const gate = Promise.withResolvers<void>();
    let ran = 0;
    await using world = await openTestHub({
      maxParallelCalls: 1,
      maxWaitingBytes: 100_000,
      methods: {
        async hold() {
          await gate.promise;
          ran++;
        },
      },
    });
    const connected = once(world.server, "connection");
    const client = await RawClient.start(world.url);
    const [socket] = (await connected) as [Socket];
    for (let count = 0; count < 90; count++)
      client.send({ type: 1, target: "hold", arguments: ["x".repeat(60_000)] });
    client.send(call("last", "hold"));
    await until("calls wait", () => socket.bytesRead > 100_000);
    for (let count = 0; count < 20; count++) await roundTrip(world);
    assert.ok(socket.bytesRead < 500_000, `${socket.bytesRead} bytes were read`);
    gate.resolve();
    await client.until(1);
    assert.equal(ran, 91);
    client.webSocket.terminate();
  });

  test("by POST has one body read at a time, in order, and is refused beyond 16", async () => {
    const gate = Promise.withResolvers<void>();
    const noted: unknown[] = [];
    await using world = await openTestHub({
      maxParallelCalls: 1,
      maxWaitingCalls: 1,
      methods: {
        async note(_call, number) {
          await gate.promise;
          noted.push(number);
        },
      },
    });
    const address = await negotiated(world.url);
    await (await fetch(address)).text();
    assert.equal((await post(address, handshake)).status, 200);
    const note = (number: number): string =>
      `${JSON.stringify({ type: 1, target: "note", arguments: [number] })}\x1e`;
    // Two are taken: one runs, and one waits. The next ones are not read.
    for (const number of [0, 1]) assert.equal((await post(address, note(number))).status, 200);
    const posts: Promise<Response>[] = [];
    for (let number = 2; number < 18; number++) {
      const came = once(world.server, "request");
      posts.push(post(address, note(number)));
      await came;
    }
    const refused = await post(address, note(18));
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "1");
    gate.resolve();
    assert.deepEqual(new Set((await Promise.all(posts)).map(({ status }) => status)), new Set([200]));
    await until(() => noted.length === 18);
    assert.deepEqual(
      noted,
      Array.from({ length: 18 }, (_, number) => number),
    );
  });

  test("by POST to a connection that ends meanwhile gets 404", async () => {
    await using world = await openTestHub({
      maxParallelCalls: 1,
      maxWaitingCalls: 1,
      methods: { hold: ({ signal }) => once(signal, "abort") },
    });
    const address = await negotiated(world.url);
    await (await fetch(address)).text();
    await post(address, handshake);
    const hold = '{"type":1,"target":"hold","arguments":[]}\x1e';
    for (let count = 0; count < 2; count++) assert.equal((await post(address, hold)).status, 200);
    const waiting: Promise<Response>[] = [];
    for (let count = 0; count < 2; count++) {
      const came = once(world.server, "request");
      waiting.push(post(address, hold));
      await came;
    }
    await turn();
    world.connection.abort();
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ status }) => status),
      [404, 404],
    );
  });

  test("in pieces of a byte is ended after 16,384 of them", async () => {
    await using world = await openTestHub();
    const client = await RawClient.start(world.url);
    for (let count = 0; count < 20_000; count++) client.webSocket.send("x", { fin: false });
    await client.untilClosed();
    await until(() => world.hub.connections.size === 0);
  });

  test("of MessagePack lengths that announce gigabytes is ended", async () => {
    await using world = await openTestHub();
    for (const bytes of [prefixed(new Uint8Array(0), 0x7fffffff), new Uint8Array(10_000).fill(0xff)]) {
      const client = await RawClient.open(world.url);
      client.webSocket.send('{"protocol":"messagepack","version":1}\x1e');
      await until(() => client.chunks.length === 1);
      client.webSocket.send(bytes);
      await client.untilClosed();
      await until(() => world.hub.connections.size === 0);
    }
  });
});

describe("a client that sends half of something", () => {
  test("is ended after 30 seconds of silence, and the half message with it", async () => {
    const clock = new SimulatedClock();
    const called: unknown[] = [];
    await using world = await openTestHub({ clock, methods: { note: () => void called.push(1) } });
    const client = await RawClient.start(world.url);
    client.webSocket.send('{"type":1,"target":"note","argu');
    await roundTrip(world);
    await clock.pass(31_000);
    await client.untilClosed();
    await until(() => world.hub.connections.size === 0);
    await clock.pass(20_000);
    assert.deepEqual([called, clock.waiting], [[], 0]);
  });

  test("is ended when its message grows beyond the limit", async () => {
    await using world = await openTestHub();
    const client = await RawClient.start(world.url);
    client.webSocket.send('{"type":1,"target":"note","arguments":["');
    for (let count = 0; count < 66; count++) client.webSocket.send("x".repeat(1000));
    await client.untilClosed();
    assert.deepEqual(client.messages, [{ type: 7, error: "a message is longer than 65536 bytes" }]);
  });
});

describe("a client that keeps the wrong order", () => {
  for (const [what, message] of [
    ["a second handshake", { protocol: "json", version: 1 }],
    ["an ack of nothing that was sent", { type: 8, sequenceId: 7 }],
    ["a sequence without a reconnect", { type: 9, sequenceId: 7 }],
    ["a completion of no call", { type: 3, invocationId: "7", result: 1 }],
    ["an item of no stream", { type: 2, invocationId: "7", item: 1 }],
    ["a cancel of no call", { type: 5, invocationId: "7" }],
  ] as const) {
    test(`with ${what} harms nobody`, async () => {
      await using world = await openTestHub({ methods: { here: () => "here" } });
      const client = await RawClient.start(world.url);
      client.send(message, call("1", "here"));
      if (what === "a second handshake") await client.untilClosed();
      else await client.until(1);
      assert.deepEqual(
        client.messages,
        what === "a second handshake"
          ? [{ type: 7, error: "a message has no type" }]
          : [{ type: 3, invocationId: "1", result: "here" }],
      );
      client.webSocket.terminate();
    });
  }

  test("may use an invocation id again when its call has ended", async () => {
    await using world = await openTestHub({ methods: { here: () => "here" }, streams: { *none() {} } });
    const client = await RawClient.start(world.url);
    for (let count = 1; count <= 4; count++) {
      client.send(count % 2 === 0 ? call("1", "here") : stream("1", "none"));
      await client.until(count);
    }
    assert.deepEqual(
      client.messages.map(({ error }) => error),
      [undefined, undefined, undefined, undefined],
    );
    client.webSocket.terminate();
  });
});

test("names of a prototype are no methods and no streams", async () => {
  await using world = await openTestHub({ methods: { here: () => 1 }, streams: { *none() {} } });
  const client = await RawClient.start(world.url);
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
  client.send(...names.flatMap((name) => [call(`c${name}`, name), stream(`s${name}`, name)]));
  await client.until(2 * names.length);
  for (const { error } of client.messages) assert.match(String(error), /^Unknown (method|stream)/);
  client.webSocket.terminate();
});

test("ten thousand streams that are cancelled at once are all completed, and none stays", async () => {
  let running = 0;
  await using world = await openTestHub({
    streams: {
      async watch({ signal }) {
        running++;
        await once(signal, "abort");
        running--;
      },
      async *items({ signal }) {
        running++;
        try {
          yield 1;
          await once(signal, "abort");
        } finally {
          running--;
        }
      },
    },
  });
  const client = await RawClient.start(world.url);
  const completed = new Set<unknown>();
  client.webSocket.on("message", () => {
    for (const { type, invocationId } of client.messages.splice(0))
      if (type === 3) completed.add(invocationId);
  });
  for (let count = 0; count < 10_000; count++) {
    client.send(stream(`${count}`, count % 2 === 0 ? "watch" : "items"), {
      type: 5,
      invocationId: `${count}`,
    });
    if (count % 50 === 0) await until(() => completed.size >= count - 50);
  }
  await until(() => completed.size === 10_000);
  await until(() => running === 0);
  client.webSocket.terminate();
});

test("a token opens one connection, over whatever transport", async () => {
  await using world = await openTestHub({ authenticate: ({ token }) => ({ id: token ?? "ann" }) });
  const events = { headers: { accept: "text/event-stream" } };
  const ways: readonly ((address: string) => Promise<number>)[] = [
    async (address) => (await fetch(address)).status,
    async (address) => {
      const answer = await fetch(address, events);
      if (answer.status !== 200) await answer.body?.cancel();
      return answer.status;
    },
    async (address) => {
      try {
        await RawClient.open(address);
        return 200;
      } catch (error) {
        return Number(/\d{3}/.exec(String(error))?.[0]);
      }
    },
  ];
  for (const [first, open] of ways.entries()) {
    const address = await negotiated(world.url);
    assert.equal(await open(address), 200);
    for (const [second, again] of ways.entries()) {
      // A second poll of a connection by long polling is the ordinary case.
      if (first === 0 && second === 0) continue;
      assert.equal(await again(address), 409, `${first} then ${second}`);
    }
    for (const method of ["GET", "POST", "DELETE"]) {
      const foreign = await fetch(`${address}&access_token=bob`, { method });
      assert.equal(foreign.status, 404, `${method} of somebody else`);
    }
  }
  world.hub.abort();
  assert.equal(world.hub.connections.size, 0);
});

test("a thousand half-open connections fill the hub only for their handshake time", async () => {
  const clock = new SimulatedClock();
  await using world = await openTestHub({ clock, maxConnections: 200 });
  const addresses: string[] = [];
  for (let count = 0; count < 1000; count++) {
    const request = new Request(`${world.url}/negotiate?negotiateVersion=1`, { method: "POST" });
    const { connectionToken } = (await (await world.hub.fetch(request)).json()) as {
      connectionToken: string;
    };
    addresses.push(`${world.url}?id=${connectionToken}`);
  }
  let opened = 0;
  for (const address of addresses) {
    const { status } = await world.hub.fetch(new Request(address));
    if (status === 200) opened++;
    else assert.equal(status, 503);
  }
  assert.equal(opened, 200);
  await clock.pass(60_000);
  assert.equal(clock.waiting, 0, "nothing is left of them");
  const client = await RawClient.start(world.url);
  client.webSocket.terminate();
});

test("ten thousand negotiations that lead to nothing leave nothing, and their tokens expire", async () => {
  const clock = new SimulatedClock();
  await using world = await openTestHub({ clock });
  const negotiations = async (count: number): Promise<string> => {
    let last = "";
    for (let left = count; left > 0; left--) {
      const request = new Request(`${world.url}/negotiate?negotiateVersion=1`, { method: "POST" });
      const { connectionToken } = (await (await world.hub.fetch(request)).json()) as {
        connectionToken: string;
      };
      last = connectionToken;
      // A negotiation may neither wait for time nor ask for it later.
      assert.equal(clock.waiting, 0);
    }
    return last;
  };
  await negotiations(1000);
  const before = await heapBytes();
  const token = await negotiations(10_000);
  const grown = (await heapBytes()) - before;
  assert.ok(grown < 500_000, `${grown} bytes, which is ${grown / 10_000} for each`);
  await clock.pass(defaultSettings.handshakeMs);
  assert.equal((await world.hub.fetch(new Request(`${world.url}?id=${token}`))).status, 404);
  const client = await RawClient.start(world.url);
  client.webSocket.terminate();
});

/** Returns the bytes of the heap that are still reachable. */
async function heapBytes(): Promise<number> {
  // What waits for its finalizer is reachable once more.
  for (let round = 0; round < 3; round++) {
    collectGarbage();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}
