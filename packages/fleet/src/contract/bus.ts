import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type Bus, BusError } from "../bus.ts";

/** A bus under test. */
export interface BusUnderTest {
  readonly bus: Bus;
  /** What handlers threw. */
  readonly errors: readonly unknown[];
  dispose(): Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (message: Uint8Array): string => new TextDecoder().decode(message);

/** Waits until something holds; how long depends on the bus, so only the runner's limit ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(1);
}

const hasCode =
  (code: BusError["code"]) =>
  (error: unknown): boolean =>
    error instanceof BusError && error.code === code;

/** Declares the tests that every bus passes. */
export function busContract(name: string, create: () => Promise<BusUnderTest>): void {
  const run = (what: string, test: (world: BusUnderTest) => Promise<void>): void => {
    it(what, async () => {
      const world = await create();
      try {
        await test(world);
      } finally {
        await world.dispose();
      }
    });
  };
  describe(`${name} publishes`, () => publishing(run));
  describe(`${name} asks`, () => asking(run));
}

type Run = (what: string, test: (world: BusUnderTest) => Promise<void>) => void;

function publishing(run: Run): void {
  run("to every subscriber of the topic, and to nobody else", async ({ bus }) => {
    const heard: string[] = [];
    const note = (who: string) => (key: string, message: Uint8Array) =>
      void heard.push(`${who} ${key} ${textOf(message)}`);
    bus.subscribe("reg.1", note("a"));
    bus.subscribe("reg.1", note("b"));
    bus.subscribe("reg.2", note("c"));
    bus.publish("reg.1", "d1", bytes("on"));
    bus.publish("reg.3", "d1", bytes("lost"));
    bus.publish("reg.2", "d2", bytes("off"));
    await until(() => heard.length === 3);
    assert.deepEqual(heard.toSorted(), ["a d1 on", "b d1 on", "c d2 off"]);
  });

  run("nothing to those who have unsubscribed", async ({ bus }) => {
    const heard: string[] = [];
    const leave = bus.subscribe("reg.1", (key) => void heard.push(`left ${key}`));
    bus.subscribe("reg.1", (key) => void heard.push(key));
    leave();
    leave();
    bus.publish("reg.1", "d1", bytes(""));
    await until(() => heard.length === 1);
    assert.deepEqual(heard, ["d1"]);
  });

  run("the newest message of each key to a subscriber that is busy", async ({ bus }) => {
    const { promise: free, resolve: release } = Promise.withResolvers<void>();
    const heard: string[] = [];
    bus.subscribe("reg.1", async (key, message) => {
      heard.push(`${key} ${textOf(message)}`);
      await free;
    });
    bus.publish("reg.1", "d1", bytes("0"));
    await until(() => heard.length === 1);
    for (let at = 1; at <= 1000; at++) bus.publish("reg.1", `d${1 + (at % 2)}`, bytes(String(at)));
    // A bus between processes delivers these in its own time.
    await until(() => true);
    release();
    await until(() => heard.includes("d1 1000") && heard.includes("d2 999"));
    const last = new Map(heard.map((line) => line.split(" ") as [string, string]));
    assert.deepEqual(Object.fromEntries(last), { d1: "1000", d2: "999" });
  });

  run("on when a handler throws", async ({ bus, errors }) => {
    const heard: string[] = [];
    bus.subscribe("reg.1", (key) => {
      heard.push(key);
      throw new Error(`no ${key}`);
    });
    bus.subscribe("reg.1", async (key) => Promise.reject(new Error(`later no ${key}`)));
    bus.publish("reg.1", "d1", bytes(""));
    bus.publish("reg.1", "d2", bytes(""));
    await until(() => errors.length === 4);
    assert.deepEqual(heard, ["d1", "d2"]);
  });

  run("bytes that their publisher may change afterwards", async ({ bus }) => {
    const heard: string[] = [];
    bus.subscribe("reg.1", (_key, message) => void heard.push(textOf(message)));
    const message = bytes("one");
    bus.publish("reg.1", "d1", message);
    message.fill(0);
    await until(() => heard.length === 1);
    assert.deepEqual(heard, ["one"]);
  });

  run("bytes that are made when they are needed", async ({ bus }) => {
    const heard: string[] = [];
    for (const who of ["a", "b"])
      bus.subscribe("reg.1", (key, message) => void heard.push(`${who} ${key} ${textOf(message)}`));
    bus.publish("reg.1", "d1", () => bytes("one"));
    await until(() => heard.length === 2);
    assert.deepEqual(heard.toSorted(), ["a d1 one", "b d1 one"]);
  });
}

function asking(run: Run): void {
  run("the server of a topic", async ({ bus }) => {
    bus.serve("hub.1", (question) => bytes(`${textOf(question)}!`));
    bus.serve("hub.2", async (question) => bytes(`${textOf(question)}?`));
    assert.equal(textOf(await bus.request("hub.1", bytes("a"))), "a!");
    assert.equal(textOf(await bus.request("hub.2", bytes("a"))), "a?");
  });

  run("nobody when nobody serves", async ({ bus }) => {
    await assert.rejects(bus.request("hub.1", bytes("a")), hasCode("no-server"));
    const end = bus.serve("hub.1", () => bytes(""));
    end();
    await assert.rejects(bus.request("hub.1", bytes("a")), hasCode("no-server"));
  });

  run("in vain when the server throws or is silent", async ({ bus }) => {
    bus.serve("hub.1", () => {
      throw new Error("no");
    });
    bus.serve("hub.2", () => new Promise(() => {}));
    await assert.rejects(bus.request("hub.1", bytes("a")), hasCode("failed"));
    await assert.rejects(bus.request("hub.2", bytes("a"), { timeoutMs: 20 }), hasCode("timeout"));
  });

  run("nothing once it is closed", async ({ bus }) => {
    await bus.close();
    await bus.close();
    await assert.rejects(bus.request("hub.1", bytes("a")), hasCode("closed"));
    assert.throws(() => bus.publish("reg.1", "d1", bytes("")), hasCode("closed"));
    assert.throws(() => bus.subscribe("reg.1", () => {}), hasCode("closed"));
    assert.throws(() => bus.serve("reg.1", () => bytes("")), hasCode("closed"));
  });
}
