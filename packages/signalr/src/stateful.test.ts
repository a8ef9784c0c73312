import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "@ledge/testkit";
import { clientOf, openTestHub } from "./test-hub.ts";
import { negotiated, RawClient } from "./test-raw.ts";

for (const isBinary of [false, true]) {
  describe(`stateful reconnect with ${isBinary ? "MessagePack" : "JSON"}`, () => {
    test("brings 300 items and 300 calls once each and in order, over two cut sockets", async () => {
      const heard: number[] = [];
      let paused: (() => void) | undefined;
      await using world = await openTestHub({
        methods: { note: (_call, number: number) => void heard.push(number) },
        streams: {
          async *numbers() {
            for (let number = 1; number <= 300; number++) {
              if (number % 100 === 50) await new Promise<void>((resolve) => (paused = resolve));
              yield number;
            }
          },
        },
      });
      const client = clientOf(world.url, { isBinary, isStateful: true });
      await client.start();
      const id = client.connectionId;
      const got: unknown[] = [];
      const ended: unknown[] = [];
      client.stream("numbers").subscribe({
        next: (item) => got.push(item),
        complete: () => ended.push("complete"),
        error: (error) => ended.push(error),
      });
      let sent = 0;
      const sendSome = async (): Promise<void> => {
        for (let left = 100; left > 0; left--) await client.send("note", ++sent);
      };
      for (let cuts = 0; cuts < 3; cuts++) {
        await until("the stream waits", () => paused !== undefined);
        const resume = paused;
        paused = undefined;
        const sending = sendSome();
        // The items that follow meet a socket that is about to break.
        resume?.();
        if (cuts < 2) world.cut();
        await sending;
      }
      await until("the stream is over", () => ended.length > 0);
      assert.deepEqual(ended, ["complete"]);
      assert.deepEqual(
        got,
        Array.from({ length: 300 }, (_, index) => index + 1),
      );
      await until("all calls have come", () => heard.length >= 300);
      assert.deepEqual(
        heard,
        Array.from({ length: 300 }, (_, index) => index + 1),
      );
      assert.equal(world.cuts, 2);
      assert.equal(client.connectionId, id);
      assert.equal(world.connection.id, id);
      await client.stop();
    });
  });
}

test("a connection that reconnects before onConnected has resolved still lets its calls wait", async () => {
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  await using world = await openTestHub({
    methods: { note: () => void order.push("called") },
    async onConnected() {
      await gate.promise;
      order.push("connected");
    },
  });
  const address = await negotiated(world.url, "?negotiateVersion=1&useStatefulReconnect=true");
  const first = await RawClient.start(address);
  await until("the hub lets the connection wait", () => world.hub.connections.size === 1);
  first.webSocket.terminate();
  await first.untilClosed();
  const second = await RawClient.open(address);
  second.send({ type: 9, sequenceId: 1 }, { type: 1, target: "note", arguments: [], invocationId: "1" });
  await second.until(1);
  // A round trip, in which the hub reads what was sent before.
  await negotiated(world.url);
  gate.resolve();
  await until("the call is done", () => order.includes("called"));
  await until("the hub is connected", () => order.includes("connected"));
  assert.deepEqual(order, ["connected", "called"]);
  second.webSocket.terminate();
});

const statefulQuery = "?negotiateVersion=1&useStatefulReconnect=true";

test("a stateful client that acknowledges nothing is congested at 100 kB, and ended when it is sent more regardless", async () => {
  const ended: unknown[] = [];
  let made = 0;
  await using world = await openTestHub({
    onDisconnected: (_connection, error) => void ended.push(error?.message),
    streams: {
      *many() {
        for (; made < 1000; made++) yield "x".repeat(10_000);
      },
    },
  });
  const client = await RawClient.start(await negotiated(world.url, statefulQuery));
  client.send({ type: 4, invocationId: "1", target: "many", arguments: [] });
  const { connection } = world;
  await client.until(10);
  await until(() => connection.isCongested);
  await negotiated(world.url);
  assert.ok(made <= 11, `${made} items`);
  client.send({ type: 8, sequenceId: 5 });
  await client.until(14);
  for (let count = 0; count < 200 && !connection.signal.aborted; count++)
    connection.send("news", "x".repeat(10_000));
  await until(() => ended.length === 1);
  assert.deepEqual(ended, ["the client reads too slowly"]);
  client.webSocket.terminate();
});

test("a stateful client that names a message beyond what came is told that messages were lost", async () => {
  const called: unknown[] = [];
  await using world = await openTestHub({ methods: { note: (_call, number) => void called.push(number) } });
  const address = await negotiated(world.url, statefulQuery);
  const note = (number: number): object => ({ type: 1, target: "note", arguments: [number] });
  const first = await RawClient.start(address);
  first.send(note(1), note(2));
  await until(() => called.length === 2);
  first.webSocket.terminate();
  const second = await RawClient.open(address);
  // Not heard before its Sequence; then repeated messages are left out.
  second.send(note(7), { type: 9, sequenceId: 2 }, note(2), note(3));
  await until(() => called.length === 3);
  assert.deepEqual(called, [1, 2, 3]);
  second.webSocket.terminate();
  const third = await RawClient.open(address);
  third.send({ type: 9, sequenceId: 9 }, note(9));
  await third.untilClosed();
  assert.equal(third.messages.at(-1)?.["error"], "Messages of the client were lost.");
  assert.deepEqual(called, [1, 2, 3]);
  await until(() => world.hub.connections.size === 0);
});
