import assert from "node:assert/strict";
import { after as afterAll, before, test } from "node:test";
import { type Bus, BusError } from "@ledge/fleet";
import { busContract } from "@ledge/fleet/contract";
import { NatsServer } from "@ledge/testkit/nats";
import { connect } from "@nats-io/transport-node";
import { connectNatsBus } from "./index.ts";
import { messagesOf, requestsTo } from "./subjects.ts";

let server: NatsServer;
before(async () => (server = await NatsServer.start()));
afterAll(() => server.kill());

const after = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (message: Uint8Array): string => new TextDecoder().decode(message);
const hasCode =
  (code: BusError["code"]) =>
  (error: unknown): boolean =>
    error instanceof BusError && error.code === code;

busContract("a bus on NATS", async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const bus = await connectNatsBus({ url: server.url(), after, onError });
  return { bus, errors, dispose: () => bus.close() };
});

/** Two buses, as two processes have them. */
async function withTwo(run: (one: Bus, other: Bus, errors: unknown[]) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  const options = { url: server.url(), after, onError: (error: unknown) => void errors.push(error) };
  const buses = [await connectNatsBus(options), await connectNatsBus(options)] as const;
  try {
    await run(...buses, errors);
  } finally {
    await Promise.all(buses.map((bus) => bus.close()));
  }
}

/** Resolves once the broker has seen what a bus subscribed to. */
async function isHeard(one: Bus, other: Bus): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = one.subscribe("heard", () => resolve());
  const timer = setInterval(() => other.publish("heard", "", bytes("")), 5);
  await promise;
  clearInterval(timer);
  end();
}

test("carries messages and questions from one process to the other", async () => {
  await withTwo(async (one, other) => {
    const topic = "reg. a.*>/ä\u{1F4A1}%";
    const { promise, resolve } = Promise.withResolvers<string>();
    one.subscribe(topic, (key, message) => resolve(`${key} ${textOf(message)}`));
    one.serve(topic, (question) => bytes(`${textOf(question)}!`));
    await isHeard(one, other);
    other.publish(topic, "ä\u0000", bytes("on"));
    assert.equal(await promise, "ä\u0000 on");
    assert.equal(textOf(await other.request(topic, bytes("who"))), "who!");
    await assert.rejects(other.request("reg", bytes("")), hasCode("no-server"));
  });
});

test("keeps order, and empty and large messages, up to what the broker takes", async () => {
  await withTwo(async (one, other, errors) => {
    const heard: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    one.subscribe("reg", (key, message) => {
      heard.push(`${key} ${message.length}`);
      if (key === "end") resolve();
    });
    await isHeard(one, other);
    const sizes = [0, 1, 1_000_000, 2_000_000, 70_000];
    for (const [at, size] of sizes.entries()) other.publish("reg", `${at}`, new Uint8Array(size));
    other.publish("reg", "end", bytes(""));
    await promise;
    assert.deepEqual(heard, ["0 0", "1 1", "2 1000000", "4 70000", "end 0"]);
    assert.equal(errors.length, 1);
    assert.match(String(errors[0]), /has 2000005 bytes; the broker takes 1048576/);
  });
});

test("goes on when the broker was killed and has come back, and loses what was published meanwhile", async () => {
  const states: boolean[] = [];
  const away = Promise.withResolvers<void>();
  const back = Promise.withResolvers<void>();
  const bus = await connectNatsBus({
    url: server.url(),
    after,
    onError: () => {},
    onConnected: (isConnected) => {
      states.push(isConnected);
      (isConnected ? back : away).resolve();
    },
  });
  try {
    const heard: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    bus.subscribe("reg", (key) => {
      heard.push(key);
      if (key === "later") resolve();
    });
    bus.serve("hub", () => bytes("here"));
    await server.kill();
    await away.promise;
    bus.publish("reg", "lost", bytes(""));
    await assert.rejects(bus.request("hub", bytes("")), hasCode("failed"));
    await server.resume();
    await back.promise;
    bus.publish("reg", "later", bytes(""));
    await promise;
    assert.equal(textOf(await bus.request("hub", bytes(""))), "here");
    assert.deepEqual([heard, states], [["later"], [false, true]]);
  } finally {
    await bus.close();
  }
});

test("ignores what no bus has sent", async () => {
  const foreign = await connect({ servers: server.url().slice("nats://".length) });
  try {
    await withTwo(async (one, other) => {
      const heard: string[] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      one.subscribe("reg", (key) => {
        heard.push(key);
        if (key === "end") resolve();
      });
      await isHeard(one, other);
      for (const frame of [[], [0, 0], [0, 0, 0, 9, 1], [255, 255, 255, 255]])
        foreign.publish(messagesOf("reg"), Uint8Array.from(frame));
      await foreign.flush();
      other.publish("reg", "end", bytes(""));
      await promise;
      assert.deepEqual(heard, ["end"]);
      foreign.subscribe(requestsTo("odd"), {
        callback: (_error, message) => void message.respond(bytes("7")),
      });
      await foreign.flush();
      await assert.rejects(one.request("odd", bytes("")), hasCode("failed"));
    });
  } finally {
    await foreign.close();
  }
});

test("refuses an address where no broker answers, and a wrong password", async () => {
  const locked = await NatsServer.start("--user", "ann", "--pass", "b@c/d");
  const open = (url: string): Promise<Bus> => connectNatsBus({ url, after, onError: () => {} });
  try {
    await assert.rejects(open("nats://127.0.0.1:1"), hasCode("failed"));
    await assert.rejects(open(locked.url("ann:wrong")), hasCode("failed"));
    await assert.rejects(open(locked.url()), hasCode("failed"));
    await (await open(locked.url("ann:b%40c%2Fd"))).close();
  } finally {
    await locked.kill();
  }
});
