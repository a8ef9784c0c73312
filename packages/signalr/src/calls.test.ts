import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { until } from "@ledge/testkit";
import type { Call, StreamCall } from "./api.ts";
import { openTestHub } from "./test-hub.ts";
import { RawClient } from "./test-raw.ts";

const call = (invocationId: string | undefined, target: string, ...args: readonly unknown[]): object => ({
  type: 1,
  ...(invocationId !== undefined && { invocationId }),
  target,
  arguments: args,
});
const stream = (invocationId: string, target: string, ...args: readonly unknown[]): object => ({
  ...call(invocationId, target, ...args),
  type: 4,
});
const cancel = (invocationId: string): object => ({ type: 5, invocationId });

describe("methods", () => {
  test("run ten at a time, the others in order behind them", async () => {
    const running: string[] = [];
    const waiting: (() => void)[] = [];
    await using world = await openTestHub({
      methods: {
        async hold(_call, name: string) {
          running.push(name);
          await new Promise<void>((resolve) => waiting.push(resolve));
          return name;
        },
      },
    });
    const client = await RawClient.start(world.url);
    const names = Array.from({ length: 25 }, (_, index) => `c${index}`);
    client.send(...names.map((name) => call(name, "hold", name)), cancel("c12"));
    await client.until(1);
    assert.deepEqual(client.messages, [{ type: 3, invocationId: "c12", error: "The call was cancelled." }]);
    assert.deepEqual(running, names.slice(0, 10));
    for (let ended = 1; ended <= 24; ended++) {
      waiting.shift()?.();
      await client.until(1 + ended);
    }
    const inOrder = names.filter((name) => name !== "c12");
    assert.deepEqual(running, inOrder);
    assert.deepEqual(
      client.messages.slice(1),
      inOrder.map((name) => ({ type: 3, invocationId: name, result: name })),
    );
    client.webSocket.terminate();
  });

  test("that are unknown do not hold up those that wait behind them", async () => {
    const gate = Promise.withResolvers<void>();
    await using world = await openTestHub({
      maxParallelCalls: 1,
      methods: { hold: () => gate.promise, echo: (_call, value) => value },
    });
    const client = await RawClient.start(world.url);
    client.send(call("1", "hold"), call("2", "none"), call("3", "echo", "late"));
    gate.resolve();
    await client.until(3);
    assert.deepEqual(client.messages.at(-1), { type: 3, invocationId: "3", result: "late" });
    client.webSocket.terminate();
  });

  test("stop the reading of a client of whom a hundred calls wait, and lose none", async () => {
    let ran = 0;
    const gate = Promise.withResolvers<void>();
    await using world = await openTestHub({
      maxWaitingCalls: 5,
      maxParallelCalls: 2,
      methods: {
        async hold() {
          await gate.promise;
          ran++;
        },
      },
    });
    const client = await RawClient.start(world.url);
    for (let count = 0; count < 2000; count++) client.send(call(undefined, "hold", "x".repeat(10_000)));
    client.send(call("last", "hold"));
    await until("the socket is no longer read", () => client.webSocket.bufferedAmount > 0);
    gate.resolve();
    await client.until(1);
    assert.equal(ran, 2001);
    client.webSocket.terminate();
  });

  test("may be cancelled while they run, and still are completed", async () => {
    await using world = await openTestHub({
      methods: {
        async wait({ signal }: Call) {
          await once(signal, "abort");
          return "stopped";
        },
      },
    });
    const client = await RawClient.start(world.url);
    client.send(call("1", "wait"), cancel("1"), cancel("unknown"));
    assert.deepEqual(await client.until(1), [{ type: 3, invocationId: "1", result: "stopped" }]);
    client.webSocket.terminate();
  });

  test("see their signal aborted when the client leaves", async () => {
    const seen: string[] = [];
    await using world = await openTestHub({
      methods: {
        async wait({ signal }: Call) {
          await once(signal, "abort");
          seen.push("aborted");
        },
        late: async ({ signal, connection }: Call) => {
          await once(connection.signal, "abort");
          seen.push(`late ${signal.aborted}`);
        },
      },
    });
    const client = await RawClient.start(world.url);
    client.send(call("1", "wait"), call("2", "late"), call("3", "none"));
    await client.until(1);
    client.webSocket.terminate();
    await until(() => seen.length === 2);
    assert.deepEqual(seen.toSorted(), ["aborted", "late true"]);
  });

  test("called without an invocation id are never answered", async () => {
    await using world = await openTestHub({
      methods: {
        fail: () => {
          throw new Error("failed");
        },
        value: () => 1,
      },
    });
    const client = await RawClient.start(world.url);
    client.send(
      call(undefined, "fail"),
      call(undefined, "none"),
      call(undefined, "value"),
      call("1", "value"),
    );
    assert.deepEqual(await client.until(1), [{ type: 3, invocationId: "1", result: 1 }]);
    assert.equal(world.errors.length, 1);
    client.webSocket.terminate();
  });

  for (const type of [1, 4]) {
    test(`refuse streams of the client (type ${type})`, async () => {
      await using world = await openTestHub({ methods: { take: () => 1 }, streams: { *give() {} } });
      const client = await RawClient.start(world.url);
      const target = type === 1 ? "take" : "give";
      client.send({ type, invocationId: "1", target, arguments: [], streamIds: ["2"] });
      client.send({ type: 2, invocationId: "2", item: 1 }, { type: 3, invocationId: "2" });
      client.send(call("3", "take"));
      assert.deepEqual(await client.until(2), [
        { type: 3, invocationId: "1", error: "Streams from the client are not supported." },
        { type: 3, invocationId: "3", result: 1 },
      ]);
      client.webSocket.terminate();
    });
  }

  test("called twice under one invocation id end the connection", async () => {
    for (const again of [call("1", "hold"), stream("1", "hold")]) {
      await using world = await openTestHub({
        maxParallelCalls: 1,
        methods: { hold: ({ signal }) => once(signal, "abort") },
      });
      const client = await RawClient.start(world.url);
      client.send(call("1", "hold"), again);
      await client.untilClosed();
      assert.deepEqual(client.messages, [{ type: 7, error: "an invocation id is used twice" }]);
    }
  });
});

describe("streams", () => {
  test("are completed as soon as they are cancelled, though their generator awaits something else", async () => {
    const ended: string[] = [];
    const forever = new Promise<never>(() => {});
    await using world = await openTestHub({
      streams: {
        async *deaf() {
          yield 1;
          await forever;
        },
        async *listening({ signal }: StreamCall) {
          try {
            yield 1;
            await once(signal, "abort");
          } finally {
            ended.push("listening");
          }
        },
        unused: async ({ signal }: StreamCall) => void (await once(signal, "abort")),
      },
    });
    const client = await RawClient.start(world.url);
    client.send(stream("1", "deaf"), stream("2", "listening"), stream("3", "unused"));
    await client.until(2);
    client.messages.splice(0);
    client.send(cancel("1"), cancel("2"), cancel("3"), cancel("3"), cancel("4"));
    await client.until(3);
    assert.deepEqual(client.messages, [
      { type: 3, invocationId: "1" },
      { type: 3, invocationId: "2" },
      { type: 3, invocationId: "3" },
    ]);
    await until(() => ended.length === 1);
    client.webSocket.terminate();
  });

  test("end iterators that know how to, such as those of events", async () => {
    const returned: string[] = [];
    await using world = await openTestHub({
      streams: {
        custom: () => {
          let end: ((result: IteratorResult<never>) => void) | undefined;
          return {
            [Symbol.asyncIterator]: () => ({
              next: () => new Promise<IteratorResult<never>>((resolve) => (end = resolve)),
              return: async () => {
                returned.push("returned");
                end?.({ done: true, value: undefined });
                return { done: true as const, value: undefined };
              },
            }),
          };
        },
      },
    });
    const client = await RawClient.start(world.url);
    client.send(stream("1", "custom"));
    client.send(cancel("1"));
    await until(() => returned.length === 1);
    assert.deepEqual(await client.until(1), [{ type: 3, invocationId: "1" }]);
    client.webSocket.terminate();
  });

  test("write nothing after their end", async () => {
    const calls: StreamCall[] = [];
    await using world = await openTestHub({
      streams: {
        async watch(watching) {
          calls.push(watching);
          await once(watching.signal, "abort");
        },
      },
    });
    const client = await RawClient.start(world.url);
    client.send(stream("1", "watch"));
    await until(() => calls.length === 1);
    assert.equal(calls[0]?.write("first"), true);
    await client.until(1);
    client.send(cancel("1"));
    await client.until(2);
    assert.equal(calls[0]?.write("late"), false);
    await calls[0]?.ready();
    client.send(call("2", "none"));
    await client.until(3);
    assert.deepEqual(
      client.messages.map(({ type }) => type),
      [2, 3, 3],
    );
    client.webSocket.terminate();
  });

  test("are at most so many at a time, and one that does not end keeps its place", async () => {
    const ends: (() => void)[] = [];
    await using world = await openTestHub({
      maxStreams: 2,
      streams: {
        deaf: async () => new Promise<void>((resolve) => ends.push(resolve)),
      },
    });
    const client = await RawClient.start(world.url);
    client.send(stream("1", "deaf"), stream("2", "deaf"), cancel("2"), stream("3", "deaf"));
    await client.until(2);
    assert.deepEqual(
      client.messages.toSorted((a, b) => Number(a["invocationId"]) - Number(b["invocationId"])),
      [
        { type: 3, invocationId: "2" },
        { type: 3, invocationId: "3", error: "At most 2 streams may be open." },
      ],
    );
    ends[1]?.();
    await until("the place is free", () => {
      if (ends.length > 2) return true;
      client.send(stream(`n${client.messages.length}`, "deaf"));
      return undefined;
    });
    client.webSocket.terminate();
  });

  test("that return no items at all fail", async () => {
    await using world = await openTestHub({
      streams: {
        number: (() => 5) as unknown as () => void,
        bad: async function* () {
          yield 1n;
        },
      },
    });
    const client = await RawClient.start(world.url);
    client.send(stream("1", "number"), stream("2", "bad"));
    await client.until(2);
    assert.deepEqual(client.messages.map(({ error }) => String(error)).toSorted(), [
      "An unexpected error occurred in 'bad'.",
      "An unexpected error occurred in 'number'.",
    ]);
    assert.equal(world.errors.length, 2);
    client.webSocket.terminate();
  });
});
