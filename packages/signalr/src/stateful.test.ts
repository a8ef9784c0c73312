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
