import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import { dialTunnel, FrameReader, type TunnelDuplex } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import { TestRelay } from "./test-relay.ts";

/** Returns an HTTP/2 frame (RFC 9113 4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer | number = 0): Buffer {
  const body = typeof payload === "number" ? Buffer.alloc(payload) : payload;
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
}

const [data, headers, priority, reset, settings, push, ping, goaway, windowUpdate, continuation] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
] as const;
const [ack, endHeaders] = [1, 4] as const;
/** HPACK: `:status` 200 and 103; a field without indexing, `a: b`. */
const [ok, early] = [Buffer.from([0x88]), Buffer.concat([Buffer.from([0x08, 0x03]), Buffer.from("103")])];
const field = Buffer.concat([
  Buffer.from([0x00, 0x01]),
  Buffer.from("a"),
  Buffer.from([0x01]),
  Buffer.from("b"),
]);
const one = Buffer.from([0, 0, 0, 1]);
const answerOf = (stream: number): Buffer => frame(headers, endHeaders, stream, ok);

/**
 * Frames that a hub repeats, after an optional first one; `stream` is the stream of a request that awaits its
 * answer.
 */
const floods: readonly [
  what: string,
  again: (stream: number, count: number) => Buffer,
  first?: (stream: number) => Buffer,
][] = [
  ["settings", () => frame(settings, 0, 0)],
  ["settings that change a value", (_, n) => frame(settings, 0, 0, Buffer.from([0, 4, 0, 1, n & 1, 1]))],
  ["acknowledgements of settings", () => frame(settings, ack, 0)],
  ["pings", () => frame(ping, 0, 0, 8)],
  ["answers to pings that nobody sent", () => frame(ping, ack, 0, 8)],
  ["resets of a stream that has ended", (stream) => frame(reset, 0, stream, Buffer.from([0, 0, 0, 8]))],
  ["resets of unknown streams", (_, n) => frame(reset, 0, 2 * n + 1001, 4)],
  ["windows of one byte for the connection", () => frame(windowUpdate, 0, 0, one)],
  ["windows of one byte for a stream", (stream) => frame(windowUpdate, 0, stream, one)],
  ["priorities", (stream) => frame(priority, 0, stream, 5)],
  ["priorities of unknown streams", (_, n) => frame(priority, 0, 2 * n + 1001, 5)],
  ["frames of an unknown type", () => frame(0xf0, 0, 0, 8)],
  ["alternative services", (stream) => frame(0x0a, 0, stream, Buffer.from([0, 0, 0x61]))],
  ["origins", () => frame(0x0c, 0, 0)],
  ["empty pieces of an answer", (stream) => frame(data, 0, stream), answerOf],
  ["pieces of one byte", (stream) => frame(data, 0, stream, 1), answerOf],
  ["endless trailers", (stream) => frame(headers, endHeaders, stream, field), answerOf],
  ["informational answers", (stream) => frame(headers, endHeaders, stream, early)],
  [
    "an endless head",
    (stream) => frame(continuation, 0, stream, field),
    (stream) => frame(headers, 0, stream, ok),
  ],
  [
    "an endless head in empty pieces",
    (stream) => frame(continuation, 0, stream),
    (stream) => frame(headers, 0, stream, ok),
  ],
  ["heads of unknown streams", (_, n) => frame(headers, endHeaders, 2 * n + 1001, ok)],
  ["pushes", (stream, n) => frame(push, endHeaders, stream, Buffer.from([0, 0, 0, 2 * (n + 1), 0x82]))],
  ["goodbyes", () => frame(goaway, 0, 0, 8)],
];

describe("a hub that floods the cloud", () => {
  let cloud: TestRelay;
  before(async () => {
    cloud = await TestRelay.open();
  });
  after(() => cloud.close());

  /** Dials as a hub that writes raw frames, and sends it one request. */
  async function dialled(): Promise<{
    duplex: TunnelDuplex;
    asked: Promise<Response | undefined>;
    stream: number;
  }> {
    const signal = AbortSignal.timeout(60_000);
    const duplex = await dialTunnel({ url: cloud.url, token: "hub-token", transport: "upgrade", signal });
    duplex.on("error", () => {});
    duplex.write(frame(settings, 0, 0));
    await until("the tunnel", () => cloud.relay.tunnels.of("hub-1") !== undefined);
    const asked = cloud.get("/relay/hub").catch(() => undefined);
    let isAsked = false;
    const reader = new FrameReader(24, (type) => (isAsked ||= type === headers));
    duplex.on("data", (chunk: Buffer) => reader.read(chunk));
    await until("the request", () => isAsked);
    return { duplex, asked, stream: 1 };
  }

  for (const [what, again, first] of floods) {
    test(`soon loses its tunnel (${what})`, async () => {
      const { duplex, asked, stream } = await dialled();
      if (first !== undefined) duplex.write(first(stream));
      let sent = 0;
      while (!duplex.destroyed && sent < 20 * limits.tunnelFrames) {
        const batch = Array.from({ length: 100 }, () => again(stream, sent++));
        if (!duplex.write(Buffer.concat(batch)) && !duplex.destroyed)
          await Promise.race([once(duplex, "drain"), once(duplex, "close")]).catch(() => {});
        await turn();
      }
      await until("the end of the tunnel", () => duplex.destroyed && cloud.relay.tunnels.sessions === 0);
      assert.equal(cloud.relay.underWay("hub-1"), 0);
      const answer = await asked;
      assert.ok(answer === undefined || [200, 502].includes(answer.status), String(answer?.status));
      // The client must not take a part for the whole.
      if (answer?.status === 200) await assert.rejects(answer.text());
      assert.ok(sent < 20 * limits.tunnelFrames, `the cloud took ${sent}`);
    });
  }
});

test("a hub that only answers keeps its tunnel, however many requests and bytes it gets", async (t) => {
  const cloud = await TestRelay.open({ tunnelFrames: 60, tunnelFramesMs: 2 ** 31 });
  t.after(() => cloud.close());
  const hub = await cloud.dial((stream) => {
    stream.resume();
    stream.once("end", () => {
      stream.respond({ ":status": 200 });
      stream.write("o");
      stream.end("k");
    });
  });
  const body = Buffer.alloc(1_000_000);
  for (let round = 0; round < 20; round++) {
    const small = Array.from({ length: 20 }, () => cloud.get("/relay/hub"));
    const large = cloud.get("/relay/cc/1.14/x", { method: "POST", body });
    for (const answer of await Promise.all([...small, large])) assert.equal(await answer.text(), "ok");
  }
  assert.equal(hub.duplex.destroyed, false);
});
