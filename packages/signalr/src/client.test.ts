import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@ledge/testkit";
import type { HubConnection } from "@microsoft/signalr";
import { HubError } from "./errors.ts";
import { serializeOnce } from "./protocol/serialized.ts";
import { clientOf, itemsOf, openTestHub, type TestHub, ways } from "./test-hub.ts";

const shared = serializeOnce({ shared: "item" });

for (const [name, way] of ways) {
  describe(`a client over ${name}`, () => {
    let world: TestHub;
    let client: HubConnection;
    const noted: unknown[] = [];
    const aborted: string[] = [];

    before(async () => {
      world = await openTestHub({
        methods: {
          Add: (_call, a: number, b: number) => a + b,
          echo: (_call, ...args) => args,
          nothing: () => {},
          note: (_call, ...args) => void noted.push(args),
          later: async () => sleep(5, "later"),
          fail: () => {
            throw new HubError("that went wrong");
          },
          break: () => {
            throw new Error("a secret");
          },
          circle: () => {
            const circle: unknown[] = [];
            circle.push(circle);
            return circle;
          },
          ask: ({ connection }, ...args) => connection.invoke("answer", ...args),
        },
        streams: {
          async *count(_call, to: number) {
            for (let number = 1; number <= to; number++) yield number;
          },
          *rows() {
            yield [{ a: 1 }, undefined, null];
            yield undefined;
          },
          async *failing() {
            yield 1;
            throw new HubError("after one");
          },
          async waiting({ signal }) {
            await once(signal, "abort");
            aborted.push("waiting");
          },
          async written(call) {
            call.write(1);
            await sleep(1);
            call.write(shared);
            call.write(shared);
          },
        },
      });
      client = clientOf(world.url, way);
      await client.start();
    });
    after(async () => {
      await client.stop();
      await world[Symbol.asyncDispose]();
    });

    test("calls a method by its name in any case", async () => {
      assert.equal(await client.invoke("add", 2, 3), 5);
      assert.equal(await client.invoke("ADD", 2, 3), 5);
    });

    test("gets results as they were returned", async () => {
      const values = [null, true, -1.5, 2 ** 40, "text \u{1f680} \x1e", [1, [2]], { a: { b: [] } }, ""];
      assert.deepEqual(await client.invoke("echo", ...values), values);
      assert.equal(await client.invoke("later"), "later");
      assert.equal((await client.invoke("nothing")) ?? undefined, undefined);
    });

    test("gets no answer to a call that asks for none", async () => {
      await client.send("note", 1, "two");
      await until(() => noted.length === 1);
      assert.deepEqual(noted, [[1, "two"]]);
    });

    test("reads the message of a HubError, and of no other error", async () => {
      await assert.rejects(client.invoke("fail"), { message: "that went wrong" });
      await assert.rejects(client.invoke("break"), { message: "An unexpected error occurred in 'break'." });
      await assert.rejects(client.invoke("circle"), { message: "An unexpected error occurred in 'circle'." });
      assert.equal(world.errors.length, 2);
    });

    test("learns which methods and streams there are not", async () => {
      for (const target of ["none", "__proto__", "constructor", "toString"]) {
        await assert.rejects(client.invoke(target), { message: `Unknown method '${target}'.` });
        await assert.rejects(itemsOf(client, target), { message: `Unknown stream '${target}'.` });
      }
      await assert.rejects(client.invoke("count", 1), { message: "'count' is a stream: use stream." });
      await assert.rejects(itemsOf(client, "add", 1), { message: "'add' is not a stream: use invoke." });
    });

    test("gets every item of a stream in order", async () => {
      const thousand = Array.from({ length: 1000 }, (_, index) => index + 1);
      assert.deepEqual(await itemsOf(client, "count", 1000), thousand);
      assert.deepEqual(await itemsOf(client, "count", 0), []);
      assert.deepEqual(await itemsOf(client, "rows"), [[{ a: 1 }, null, null], null]);
    });

    test("gets what a stream writes itself", async () => {
      assert.deepEqual(await itemsOf(client, "written"), [1, { shared: "item" }, { shared: "item" }]);
    });

    test("gets the error of a stream behind its items", async () => {
      const items: unknown[] = [];
      const failed = new Promise<Error>((error) => {
        client.stream("failing").subscribe({ next: (item) => items.push(item), complete() {}, error });
      });
      assert.equal((await failed).message, "after one");
      assert.deepEqual(items, [1]);
    });

    test("cancels a stream that awaits something else", async () => {
      const ended: string[] = [];
      const subscription = client
        .stream("waiting")
        .subscribe({ next() {}, complete: () => ended.push("complete"), error: () => ended.push("error") });
      await client.invoke("nothing");
      assert.deepEqual(aborted, []);
      subscription.dispose();
      await until(() => aborted.length === 1);
    });

    test("answers calls of the hub", async () => {
      client.on("answer", (a: number, b: number) => a * b);
      assert.equal(await client.invoke("ask", 6, 7), 42);
      client.off("answer");
      await assert.rejects(client.invoke("ask"), { message: "An unexpected error occurred in 'ask'." });
    });

    test("is called by the hub, alone or with others", async () => {
      const calls: unknown[] = [];
      client.on("news", (...args) => void calls.push(args));
      world.connection.send("news", 1, { a: 2 });
      world.hub.send(world.hub.connections.values(), "NEWS", "all");
      await until(() => calls.length === 2);
      assert.deepEqual(calls, [[1, { a: 2 }], ["all"]]);
    });
  });
}
