import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { SimulatedClock, until } from "@ledge/testkit";
import { HubError } from "./errors.ts";
import { packed } from "./protocol/test-wire.ts";
import { openTestHub } from "./test-hub.ts";
import { negotiate, RawClient } from "./test-raw.ts";

const handshake = '{"protocol":"json","version":1}\x1e';

describe("the handshake", () => {
  for (const version of [1, 2]) {
    test(`takes version ${version} of both protocols, in text and in bytes`, async () => {
      await using world = await openTestHub();
      for (const protocol of ["json", "messagepack"]) {
        for (const isBinary of [false, true]) {
          const client = await RawClient.open(world.url);
          const record = Buffer.from(`${JSON.stringify({ protocol, version })}\x1e`);
          client.webSocket.send(record, { binary: isBinary });
          await until(() => client.chunks.length === 1);
          assert.equal(String(client.chunks[0]), "{}\x1e");
          client.webSocket.terminate();
        }
      }
    });
  }

  test("may come in pieces, with messages behind it", async () => {
    await using world = await openTestHub({ methods: { add: (_call, a: number, b: number) => a + b } });
    const client = await RawClient.open(world.url);
    const call = '{"type":1,"invocationId":"1","target":"add","arguments":[2,3]}\x1e';
    for (const piece of `${handshake}${call}`.match(/[^]{1,7}/g) ?? []) client.webSocket.send(piece);
    assert.deepEqual(await client.until(2), [{}, { type: 3, invocationId: "1", result: 5 }]);
    client.webSocket.terminate();
  });

  test("of MessagePack may have messages behind it in the same bytes", async () => {
    await using world = await openTestHub({ methods: { echo: (_call, value) => value } });
    const client = await RawClient.open(world.url);
    const call = packed([1, {}, "1", "echo", [7], []]);
    client.webSocket.send(Buffer.concat([Buffer.from('{"protocol":"messagepack","version":1}\x1e'), call]));
    await until(() => client.chunks.length === 1);
    const [prefix, ...rest] = Buffer.concat(client.chunks).subarray(3);
    assert.equal(String(client.chunks[0]?.subarray(0, 3)), "{}\x1e");
    assert.deepEqual([prefix, ...rest], [7, 0x95, 3, 0x80, 0xa1, 0x31, 3, 7]);
    client.webSocket.terminate();
  });

  for (const [what, record, error] of [
    ["an unknown protocol", '{"protocol":"xml","version":1}', "The protocol 'xml' is not supported."],
    ["no protocol", "{}", "The protocol 'undefined' is not supported."],
    [
      "version 3",
      '{"protocol":"json","version":3}',
      "The server does not support version 3 of the 'json' protocol.",
    ],
    [
      "version 0",
      '{"protocol":"json","version":0}',
      "The server does not support version 0 of the 'json' protocol.",
    ],
    [
      "a version as text",
      '{"protocol":"json","version":"1"}',
      "The server does not support version 1 of the 'json' protocol.",
    ],
    ["a message", '{"type":6}', "The protocol 'undefined' is not supported."],
    ["no JSON", "hello", "a message is no JSON"],
    ["nothing", "", "a message is no JSON"],
    [
      "more than 1024 bytes",
      JSON.stringify({ protocol: "json", version: 1, x: "x".repeat(1000) }),
      "a message is longer than 1024 bytes",
    ],
  ] as const) {
    test(`with ${what} is answered with an error, and the connection ends`, async () => {
      await using world = await openTestHub();
      const client = await RawClient.open(world.url);
      client.webSocket.send(`${record}\x1e`);
      await client.untilClosed();
      assert.deepEqual(client.messages, [{ error }]);
      assert.equal(world.hub.connections.size, 0);
    });
  }

  test("has 15 seconds to come", async () => {
    const clock = new SimulatedClock();
    await using world = await openTestHub({ clock });
    const [silent, slow] = [await RawClient.open(world.url), await RawClient.open(world.url)];
    slow.webSocket.send(handshake.slice(0, 10));
    await clock.pass(14_000);
    assert.equal(silent.isClosed, false);
    await clock.pass(2000);
    await Promise.all([silent.untilClosed(), slow.untilClosed()]);
    assert.deepEqual(silent.messages, [{ error: "The handshake took too long." }]);
    await clock.pass(20_000);
    assert.equal(clock.waiting, 0, "nothing is left of them");
  });
});

describe("a connection", () => {
  test("is pinged after 15 seconds of silence, and lasts while its client pings", async () => {
    const clock = new SimulatedClock();
    await using world = await openTestHub({ clock });
    const client = await RawClient.start(world.url);
    await clock.pass(14_000);
    assert.deepEqual(client.messages, []);
    client.send({ type: 1, invocationId: "0", target: "none", arguments: [] });
    await client.until(1);
    client.messages.splice(0);
    for (let pings = 1; pings <= 10; pings++) {
      await clock.pass(16_000);
      await client.until(pings);
      assert.deepEqual(client.messages.at(-1), { type: 6 });
      const before = world.connection;
      client.send({ type: 6 });
      // The next answer shows that the ping has come.
      client.send({ type: 1, invocationId: String(pings), target: "none", arguments: [] });
      await until(() => client.messages.some(({ type }) => type === 3));
      client.messages.splice(pings);
      assert.equal(world.connection, before);
    }
    client.webSocket.terminate();
  });

  test("ends after 30 seconds without a word of its client", async () => {
    const clock = new SimulatedClock();
    const ended: unknown[] = [];
    await using world = await openTestHub({
      clock,
      onDisconnected: (_connection, error) => void ended.push(error?.message),
    });
    const client = await RawClient.start(world.url);
    await clock.pass(29_000);
    assert.equal(world.hub.connections.size, 1);
    await clock.pass(2000);
    await client.untilClosed();
    await until(() => ended.length === 1);
    assert.deepEqual(ended, ["the client has left"]);
    assert.equal(world.hub.connections.size, 0);
  });

  test("ends when its client floods it with separators, or sends more at once than allowed", async () => {
    await using world = await openTestHub({ maxChunkBytes: 100_000 });
    const flooding = await RawClient.start(world.url);
    flooding.webSocket.send("\x1e".repeat(100_000));
    await flooding.untilClosed();
    assert.deepEqual(flooding.messages, [{ type: 7, error: "a message is no JSON" }]);
    const bulky = await RawClient.start(world.url);
    bulky.webSocket.send("x".repeat(100_001));
    await bulky.untilClosed();
    await until(() => world.hub.connections.size === 0);
  });

  test("says goodbye behind what was sent before", async () => {
    await using world = await openTestHub();
    const client = await RawClient.start(world.url);
    const { connection } = world;
    connection.send("last", 1);
    connection.close({ error: "why", allowReconnect: true });
    connection.send("late", 2);
    await client.untilClosed();
    assert.deepEqual(client.messages, [
      { type: 1, target: "last", arguments: [1] },
      { type: 7, error: "why", allowReconnect: true },
    ]);
    assert.equal(connection.signal.aborted, true);
    await assert.rejects(connection.invoke("any"), /ended/);
  });

  test("ends at once when it is aborted", async () => {
    await using world = await openTestHub();
    const client = await RawClient.start(world.url);
    const { connection } = world;
    const ended = once(connection.signal, "abort");
    connection.abort();
    await ended;
    await client.untilClosed();
    assert.deepEqual(client.messages, []);
  });

  test("ends without an error when its client says goodbye", async () => {
    const ended: unknown[] = [];
    await using world = await openTestHub({ onDisconnected: (_connection, error) => void ended.push(error) });
    const client = await RawClient.start(world.url);
    client.send({ type: 7 });
    await client.untilClosed();
    await until(() => ended.length === 1);
    assert.deepEqual(ended, [undefined]);
  });

  test("lets calls wait until onConnected has resolved", async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    await using world = await openTestHub({
      methods: { note: () => void order.push("called") },
      async onConnected() {
        await gate.promise;
        order.push("connected");
      },
    });
    const client = await RawClient.start(world.url);
    client.send({ type: 1, target: "note", arguments: [] });
    client.send({ type: 1, target: "note", arguments: [], invocationId: "1" });
    await until(() => world.hub.connections.size === 1);
    gate.resolve();
    await client.until(1);
    assert.deepEqual(order, ["connected", "called", "called"]);
    client.webSocket.terminate();
  });

  test("ends when onConnected throws, and tells why to nobody but onError", async () => {
    for (const onConnected of [
      () => {
        throw new Error("a secret");
      },
      async () => {
        throw new Error("a secret");
      },
    ]) {
      const ended: string[] = [];
      const clock = new SimulatedClock();
      await using world = await openTestHub({
        clock,
        onConnected,
        onDisconnected: () => void ended.push("ended"),
      });
      const client = await RawClient.open(world.url);
      client.webSocket.send(handshake);
      await client.untilClosed();
      assert.deepEqual(client.messages, [{}, { type: 7, error: "The connection was refused." }]);
      assert.deepEqual(world.errors.map(String), ["Error: a secret"]);
      await until(() => ended.length === 1);
    }
  });

  test("tells the client the message of a HubError of onConnected, and onError nothing", async () => {
    await using world = await openTestHub({
      onConnected: () => {
        throw new HubError("the room is full");
      },
    });
    const client = await RawClient.open(world.url);
    client.webSocket.send(handshake);
    await client.untilClosed();
    assert.deepEqual(client.messages, [{}, { type: 7, error: "the room is full" }]);
    assert.deepEqual(world.errors, []);
  });

  for (const refuses of [false, true]) {
    test(`calls onDisconnected after onConnected, though the client left before it ${refuses ? "threw" : "resolved"}`, async () => {
      const order: string[] = [];
      const gate = Promise.withResolvers<void>();
      await using world = await openTestHub({
        async onConnected({ signal }) {
          await once(signal, "abort");
          order.push("left");
          await gate.promise;
          order.push("connected");
          if (refuses) throw new Error("refused");
        },
        onDisconnected: () => void order.push("disconnected"),
      });
      const client = await RawClient.start(world.url);
      client.webSocket.terminate();
      await until(() => order.length === 1 && world.hub.connections.size === 0);
      await negotiate(world.url);
      gate.resolve();
      await until(() => order.length === 3);
      assert.deepEqual(order, ["left", "connected", "disconnected"]);
      assert.equal(world.errors.length, refuses ? 1 : 0);
    });
  }

  test("hears what is sent to all while onConnected runs, and its calls wait", async () => {
    const gate = Promise.withResolvers<void>();
    await using world = await openTestHub({
      methods: { here: () => "here" },
      onConnected: () => gate.promise,
    });
    const client = await RawClient.start(world.url);
    client.send({ type: 1, target: "here", arguments: [], invocationId: "1" });
    await negotiate(world.url);
    world.hub.send(world.hub.connections.values(), "news");
    assert.deepEqual(await client.until(1), [{ type: 1, target: "news", arguments: [] }]);
    gate.resolve();
    await client.until(2);
    assert.deepEqual(client.messages[1], { type: 3, invocationId: "1", result: "here" });
    client.webSocket.terminate();
  });

  test("survives what onDisconnected and onError throw", async () => {
    await using world = await openTestHub({
      onDisconnected: () => {
        throw new Error("first");
      },
      onError: () => {
        throw new Error("second");
      },
    });
    for (let count = 0; count < 2; count++) {
      const client = await RawClient.start(world.url);
      client.webSocket.terminate();
      await until(() => world.hub.connections.size === 0);
    }
  });

  test("fails its calls of the client when the client does not answer, answers late, or leaves", async () => {
    const clock = new SimulatedClock();
    await using world = await openTestHub({ clock });
    const client = await RawClient.start(world.url);
    const { connection } = world;
    const slow = connection.invoke("slow");
    const [{ invocationId }] = (await client.until(1)) as [{ invocationId: string }];
    const failed = assert.rejects(slow, /did not answer 'slow' within 30000 ms/);
    for (let second = 0; second < 31; second++) {
      client.send({ type: 6 });
      client.send({ type: 1, invocationId: `p${second}`, target: "none", arguments: [] });
      await until(() => client.messages.some((message) => message["invocationId"] === `p${second}`));
      await clock.pass(1000);
    }
    await failed;
    client.send({ type: 3, invocationId, result: "late" });
    client.send({ type: 3, invocationId: "never asked", result: "odd" });
    const left = assert.rejects(connection.invoke("gone"), /has left/);
    await assert.rejects(connection.invoke("circle", circle()), /circular/i);
    await until(() => client.messages.some(({ target }) => target === "gone"));
    client.webSocket.terminate();
    await left;
  });
});

function circle(): unknown {
  const list: unknown[] = [];
  list.push(list);
  return list;
}
