// Both encodings against the parser and the writer of Microsoft's client.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MessageType } from "@microsoft/signalr";
import { jsonCodec } from "./json.ts";
import { messagePackCodec } from "./messagepack.ts";
import { serializeOnce } from "./serialized.ts";
import { messagesIn, readByClient, writtenByClient } from "./test-wire.ts";

const values: readonly unknown[] = [
  null,
  false,
  0,
  -1,
  127,
  128,
  -33,
  65_536,
  2 ** 31,
  -(2 ** 40),
  Number.MAX_SAFE_INTEGER,
  0.1,
  "",
  "text with \x1e and \u2028 and \u{1f680}",
  "x".repeat(40_000),
  [],
  [[["deep"]]],
  Array.from({ length: 70 }, (_, index) => index),
  {},
  { a: { b: [1, null] }, "": 1, ["key with \n"]: true },
];

for (const codec of [jsonCodec, messagePackCodec]) {
  describe(`the ${codec.name} encoding`, () => {
    const readBack = (...frames: readonly Uint8Array[]) => readByClient(codec, ...frames);

    test("writes values so that the client reads them", () => {
      for (const value of values) {
        const [item] = readBack(codec.streamItem("7", value)) as [{ item: unknown }];
        assert.deepEqual(item.item, value);
        const [completion] = readBack(codec.completion("7", { result: value })) as [{ result: unknown }];
        assert.deepEqual(completion.result, value);
        const [call] = readBack(codec.invocation("target", [value])) as [{ arguments: unknown[] }];
        assert.deepEqual(call.arguments, [value]);
      }
    });

    test("writes nothing as null, where the client expects a value", () => {
      const [item] = readBack(codec.streamItem("7", undefined)) as [{ item: unknown }];
      assert.equal(item.item, null);
      const [call] = readBack(codec.invocation("target", [undefined, 1])) as [{ arguments: unknown[] }];
      assert.deepEqual(call.arguments, [null, 1]);
    });

    test("writes completions with a result, an error, or neither", () => {
      for (const [frame, result, error] of [
        [codec.completion("7", undefined), undefined, undefined],
        [codec.completion("7", { result: undefined }), undefined, undefined],
        [codec.completion("7", { result: 0 }), 0, undefined],
        [codec.completion("7", { result: null }), null, undefined],
        [codec.completion("7", { error: "why" }), undefined, "why"],
      ] as const) {
        const [completion] = readBack(frame) as [
          { type: number; invocationId: string; result?: unknown; error?: unknown },
        ];
        assert.equal(completion.type, MessageType.Completion);
        assert.equal(completion.invocationId, "7");
        assert.equal(completion.result, result);
        assert.equal(completion.error, error);
      }
    });

    test("writes calls with and without an invocation id", () => {
      const [plain, asking] = readBack(codec.invocation("say", []), codec.invocation("ask", [], "s1")) as {
        invocationId?: string;
      }[];
      assert.equal(plain?.invocationId, undefined);
      assert.equal(asking?.invocationId, "s1");
    });

    test("writes what keeps a connection alive, ends it, and resumes it", () => {
      const types = (...frames: readonly Uint8Array[]): unknown =>
        readBack(...frames).map((message) => {
          const { type, sequenceId, error, allowReconnect } = message as Readonly<Record<string, unknown>>;
          return [type, sequenceId, error ?? undefined, allowReconnect ?? false];
        });
      assert.deepEqual(
        types(
          codec.ping,
          codec.close(undefined, false),
          codec.close("why", true),
          codec.ack(2 ** 33),
          codec.sequence(1),
        ),
        [
          [MessageType.Ping, undefined, undefined, false],
          [MessageType.Close, undefined, undefined, false],
          [MessageType.Close, undefined, "why", true],
          [MessageType.Ack, 2 ** 33, undefined, false],
          [MessageType.Sequence, 1, undefined, false],
        ],
      );
    });

    test("serialises a shared item once, and a shared frame once for each invocation id", () => {
      let readings = 0;
      const shared = serializeOnce({
        get value() {
          readings++;
          return 1;
        },
      });
      const frame = codec.streamItem("1", shared);
      const readOnce = readings;
      const other = codec.streamItem("2", shared);
      assert.equal(codec.streamItem("1", shared), frame);
      assert.equal(readings, readOnce);
      const items = readBack(frame, other) as { invocationId: string; item: unknown }[];
      assert.deepEqual(
        items.map(({ invocationId, item }) => [invocationId, item]),
        [
          ["1", { value: 1 }],
          ["2", { value: 1 }],
        ],
      );
    });

    test("keeps a bounded number of frames of a shared item, whatever ids clients choose", () => {
      const shared = serializeOnce("item");
      const frames = Array.from({ length: 1000 }, (_, index) => codec.streamItem(`id ${index}`, shared));
      const again = frames.filter((frame, index) => codec.streamItem(`id ${index}`, shared) === frame);
      assert.equal(again.length, 64);
    });

    test("reads what the client writes", () => {
      const headers = { name: "value" };
      const written = [
        { type: MessageType.Invocation, target: "say", arguments: values, headers },
        {
          type: MessageType.Invocation,
          target: "ask",
          arguments: [],
          invocationId: "1",
          streamIds: ["2", "3"],
        },
        { type: MessageType.StreamInvocation, target: "watch", arguments: [null], invocationId: "4" },
        { type: MessageType.CancelInvocation, invocationId: "4" },
        { type: MessageType.StreamItem, invocationId: "2", item: { a: 1 } },
        { type: MessageType.Completion, invocationId: "s1", result: [1] },
        { type: MessageType.Completion, invocationId: "s2", error: "why" },
        { type: MessageType.Completion, invocationId: "s3" },
        { type: MessageType.Ping },
        { type: MessageType.Ack, sequenceId: 5 },
        { type: MessageType.Sequence, sequenceId: 6 },
        { type: MessageType.Close },
      ] as Parameters<typeof writtenByClient>[1][];
      assert.deepEqual(
        messagesIn(codec, Buffer.concat(written.map((message) => writtenByClient(codec, message)))),
        [
          { type: 1, invocationId: undefined, target: "say", args: values, streamIds: [] },
          { type: 1, invocationId: "1", target: "ask", args: [], streamIds: ["2", "3"] },
          { type: 4, invocationId: "4", target: "watch", args: [null], streamIds: [] },
          { type: 5, invocationId: "4" },
          { type: 2, invocationId: "2" },
          { type: 3, invocationId: "s1", error: undefined, result: [1] },
          { type: 3, invocationId: "s2", error: "why", result: undefined },
          { type: 3, invocationId: "s3", error: undefined, result: undefined },
          { type: 6 },
          { type: 8, sequenceId: 5 },
          { type: 9, sequenceId: 6 },
          { type: 7, error: undefined },
        ],
      );
    });

    test("reads messages from pieces of any size", () => {
      const call = {
        type: MessageType.Invocation,
        target: "say",
        arguments: ["\u00e9\u{1f680}", 1],
      } as const;
      const one = writtenByClient(codec, call as unknown as Parameters<typeof writtenByClient>[1]);
      const bytes = Buffer.concat([one, one, one]);
      const whole = messagesIn(codec, bytes);
      assert.equal(whole.length, 3);
      for (let size = 1; size <= bytes.length; size++) {
        const reader = codec.reader({ maxMessageBytes: 100, maxDepth: 8 });
        const read: unknown[] = [];
        for (let at = 0; at < bytes.length; at += size) {
          // A transport may use its memory again.
          const piece = Buffer.from(bytes.subarray(at, at + size));
          reader.push(piece);
          for (let next = reader.next(); next !== undefined; next = reader.next()) read.push(next);
        }
        assert.deepEqual(read, whole, `pieces of ${size}`);
      }
    });
  });
}
