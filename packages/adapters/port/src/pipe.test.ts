import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import test from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Channel } from "./channel.ts";
import { pipeChannel, pipeFrame } from "./pipe.ts";

const most = 64;

interface Stage {
  readonly channel: Channel<object, object>;
  /** The raw other end, to write what a channel never would. */
  readonly far: ReturnType<typeof duplexPair>[0];
  readonly heard: unknown[];
}

function stage(): Stage {
  const [near, far] = duplexPair();
  const heard: unknown[] = [];
  const channel = pipeChannel<object, object>(near, most);
  channel.open({
    message: (message) => heard.push(message),
    closed: () => heard.push("closed"),
    broken: (reason) => heard.push(reason),
  });
  return { channel, far, heard };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await turn();
}

/** Returns a message whose JSON has exactly this many bytes. */
const sized = (bytes: number): object => ({ a: "x".repeat(bytes - '{"a":""}'.length) });

test("reassembles messages from chunks of any size", async () => {
  const messages = [{ a: 1 }, { text: "äö€" }, {}, sized(most)];
  const bytes = Buffer.concat(messages.map(pipeFrame));
  for (const size of [1, 2, 3, 5, 7, 1000]) {
    const { far, heard } = stage();
    for (let at = 0; at < bytes.length; at += size) {
      far.write(bytes.subarray(at, at + size));
      await turn();
    }
    await settle();
    assert.deepEqual(heard, messages, `in parts of ${size}`);
  }
});

test("posts any text in frames of its length in bytes", async () => {
  for (const message of [{}, { a: "x".repeat(70_000) }, { text: "\u007f\u0080ÿ€😀" }, { text: "\ud800" }]) {
    const { channel, far } = stage();
    const arrived: Buffer[] = [];
    far.on("data", (chunk: Buffer) => arrived.push(chunk));
    channel.post(message);
    await settle();
    assert.deepEqual(Buffer.concat(arrived), pipeFrame(message));
  }
});

test("accepts a message at the size limit and breaks the line at one byte more", async () => {
  const { far, heard } = stage();
  far.write(pipeFrame(sized(most)));
  far.write(pipeFrame(sized(most + 1)));
  far.write(pipeFrame({ a: 1 }));
  await settle();
  assert.deepEqual(heard, [sized(most), `it sent a message of ${most + 1} bytes`]);
});

test("breaks the line at invalid JSON", async () => {
  const { far, heard } = stage();
  far.write(Buffer.from("\u0000\u0000\u0000\u0002{]"));
  far.write(pipeFrame({ a: 1 }));
  await settle();
  assert.deepEqual(heard, ["it sent an invalid message"]);
});

test("reads nothing while held and makes the other end wait", async () => {
  const { channel, far, heard } = stage();
  channel.hold(true);
  let written = 0;
  while (far.write(pipeFrame({ number: written }))) written += 1;
  await settle();
  assert.deepEqual(heard, []);
  channel.hold(false);
  await settle();
  assert.equal(heard.length, written + 1);
  assert.deepEqual(heard[0], { number: 0 });
});

test("keeps the rest of a chunk when a receiver holds the channel during a message", async () => {
  const [near, far] = duplexPair();
  const heard: object[] = [];
  const channel = pipeChannel<object, object>(near, most);
  channel.open({
    message: (message) => {
      heard.push(message);
      channel.hold(true);
    },
    closed: () => {},
  });
  far.write(Buffer.concat([pipeFrame({ a: 1 }), pipeFrame({ a: 2 })]));
  await settle();
  assert.deepEqual(heard, [{ a: 1 }]);
  channel.hold(false);
  await settle();
  assert.deepEqual(heard, [{ a: 1 }, { a: 2 }]);
});

test("delivers what was posted before close and silently drops later posts", async () => {
  const { channel, far, heard } = stage();
  const arrived: Buffer[] = [];
  far.on("data", (chunk: Buffer) => arrived.push(chunk));
  channel.post({ a: 1 });
  channel.close();
  channel.post({ a: 2 });
  await settle();
  assert.deepEqual(Buffer.concat(arrived), pipeFrame({ a: 1 }));
  assert.deepEqual(heard, ["closed"]);
  channel.close();
});

test("reports closed when it is opened after the pipe has ended", async () => {
  const [near] = duplexPair();
  const channel = pipeChannel<object, object>(near, most);
  near.destroy();
  await settle();
  let closed = 0;
  channel.open({ message: () => {}, closed: () => (closed += 1) });
  await settle();
  assert.equal(closed, 1);
});
