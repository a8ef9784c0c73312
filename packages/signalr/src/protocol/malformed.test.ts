// What a client must not send, and how each encoding says so.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { jsonCodec } from "./json.ts";
import { messagePackCodec } from "./messagepack.ts";
import { ProtocolError } from "./messages.ts";
import { messagesIn, packed, prefixed, readLimits, records } from "./test-wire.ts";

/** A value so many levels deep. */
function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

const nestedJson = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

const malformedJson: readonly (readonly [what: string, record: string, message: RegExp])[] = [
  ["nothing", "", /no JSON/],
  ["no JSON", "{", /no JSON/],
  ["a number", "6", /no JSON object/],
  ["null", "null", /no JSON object/],
  ["a list", "[6]", /no JSON object/],
  ["no type", "{}", /no type/],
  ["a type that is a text", '{"type":"1"}', /no type/],
  ["no target", '{"type":1,"arguments":[]}', /target must be a text/],
  ["an empty target", '{"type":1,"target":"","arguments":[]}', /target must be a text/],
  ["a target that is an object", '{"type":1,"target":{},"arguments":[]}', /target must be a text/],
  ["arguments that are an object", '{"type":1,"target":"a","arguments":{}}', /arguments must be a list/],
  ["arguments that are a text", '{"type":1,"target":"a","arguments":"ab"}', /arguments must be a list/],
  [
    "an invocation id that is a number",
    '{"type":1,"target":"a","invocationId":1}',
    /invocationId must be a text/,
  ],
  ["stream ids that are a text", '{"type":1,"target":"a","streamIds":"1"}', /streamIds must be a list/],
  ["stream ids that are numbers", '{"type":1,"target":"a","streamIds":[1]}', /streamIds must be a text/],
  ["a stream without an invocation id", '{"type":4,"target":"a"}', /invocationId must be a text/],
  ["a cancel of nothing", '{"type":5}', /invocationId must be a text/],
  ["an item of nothing", '{"type":2,"item":1}', /invocationId must be a text/],
  ["a completion of nothing", '{"type":3}', /invocationId must be a text/],
  ["an error that is an object", '{"type":3,"invocationId":"1","error":{}}', /error must be a text/],
  ["an ack of nothing", '{"type":8}', /sequenceId must be a whole number/],
  ["an ack of a fraction", '{"type":8,"sequenceId":1.5}', /sequenceId must be a whole number/],
  ["an ack of less than nothing", '{"type":8,"sequenceId":-1}', /sequenceId must be a whole number/],
  ["a sequence of a text", '{"type":9,"sequenceId":"1"}', /sequenceId must be a whole number/],
  ["a key __proto__", '{"type":1,"target":"a","arguments":[{"__proto__":{"a":1}}]}', /__proto__/],
  ["an escaped key __proto__", '{"type":1,"target":"a","arguments":[{"\\u005f_proto__":1}]}', /__proto__/],
  ["a header __proto__", '{"type":6,"headers":{"__proto__":1}}', /__proto__/],
  ["65 levels", `{"type":1,"target":"a","arguments":${nestedJson(64)}}`, /too deeply/],
  ["20,000 levels", `{"type":1,"target":"a","arguments":${nestedJson(20_000)}}`, /too deeply/],
];

const bytes = (...numbers: readonly number[]): Uint8Array => prefixed(Uint8Array.from(numbers));

const malformedPack: readonly (readonly [what: string, bytes: Uint8Array, message: RegExp])[] = [
  ["nothing", bytes(), /ends too early/],
  ["a number", packed(6), /must be a list/],
  ["a map", packed({ type: 6 }), /must be a list/],
  ["no type", packed([]), /no type/],
  ["a type that is a text", packed(["1"]), /no type/],
  ["no target", packed([1, {}, null]), /target must be a text/],
  ["a target that is a list", packed([1, {}, null, [], []]), /target must be a text/],
  ["no arguments", packed([1, {}, null, "a"]), /arguments must be a list/],
  ["arguments that are a map", packed([1, {}, null, "a", {}]), /arguments must be a list/],
  ["an invocation id that is a number", packed([1, {}, 1, "a", []]), /invocationId must be a text/],
  ["stream ids that are numbers", packed([1, {}, null, "a", [], [1]]), /streamIds must be a text/],
  ["a stream without an invocation id", packed([4, {}, null, "a", []]), /invocationId must be a text/],
  ["a completion without a kind", packed([3, {}, "1"]), /no result kind/],
  ["a completion of an unknown kind", packed([3, {}, "1", 4]), /no result kind/],
  ["an ack of nothing", packed([8]), /sequenceId must be a whole number/],
  [
    "an ack beyond whole numbers",
    bytes(0x92, 8, 0xcf, 255, 255, 255, 255, 255, 255, 255, 255),
    /whole number/,
  ],
  ["a key __proto__", packed([1, {}, null, "a", [JSON.parse('{"__proto__":1}')]]), /no MessagePack/],
  ["a key that is a list", bytes(0x91, 0x81, 0x90, 0x01), /no MessagePack/],
  ["the byte 0xc1", bytes(0x91, 0xc1), /0xc1/],
  ["a text that is not there", bytes(0x91, 0xdb, 0xff, 0xff, 0xff, 0xff), /ends too early/],
  ["a list of 4 billion that is not there", bytes(0xdd, 0xff, 0xff, 0xff, 0xff), /ends too early/],
  ["a map of 4 billion that is not there", bytes(0xdf, 0xff, 0xff, 0xff, 0xff), /ends too early/],
  ["a length that is cut off", bytes(0x91, 0xda, 0xff), /ends too early/],
  ["bytes behind the message", bytes(0x91, 0x06, 0x06), /behind its end/],
  ["65 levels", packed([1, {}, null, "a", nested(64)]), /too deeply/],
  ["60,000 levels", prefixed(new Uint8Array(60_000).fill(0x91)), /too deeply/],
  [
    "lists in lists that each announce thousands",
    prefixed(Buffer.concat(Array.from({ length: 10_000 }, () => Uint8Array.of(0xdd, 0, 0, 0xff, 0xff)))),
    /too deeply|ends too early/,
  ],
  ["a length of 2 GB", prefixed(new Uint8Array(0), 0x7fffffff), /longer than 65536/],
  ["a length that does not end", Uint8Array.from([0x80, 0x80, 0x80, 0x80, 0x80, 0x01]), /malformed/],
  ["a length of all ones", new Uint8Array(9).fill(0xff), /longer than 65536/],
];

describe("the JSON encoding", () => {
  for (const [what, record, message] of malformedJson) {
    test(`refuses ${what}`, () => {
      assert.throws(
        () => messagesIn(jsonCodec, records(record)),
        (error: Error) => error instanceof ProtocolError && message.test(error.message),
      );
    });
  }

  test("refuses bytes that are not UTF-8", () => {
    const broken = Buffer.concat([
      Buffer.from('{"type":6,"a":"'),
      Uint8Array.of(0xff),
      Buffer.from('"}\x1e'),
    ]);
    assert.throws(() => messagesIn(jsonCodec, broken), ProtocolError);
  });

  test("refuses a message longer than allowed, also before its end has come", () => {
    const fits = `{"type":6,"a":"${"x".repeat(readLimits.maxMessageBytes - 17)}"}`;
    assert.equal(fits.length, readLimits.maxMessageBytes);
    assert.equal(messagesIn(jsonCodec, records(fits)).length, 1);
    assert.throws(() => messagesIn(jsonCodec, records(`${fits} `)), /longer than 65536/);
    assert.throws(() => messagesIn(jsonCodec, Buffer.from(`${fits} `)), /longer than 65536/);
  });

  test("reads 64 levels, and a text that contains __proto__", () => {
    const deep = `{"type":1,"target":"__proto__","arguments":${nestedJson(63)}}`;
    assert.equal(messagesIn(jsonCodec, records(deep)).length, 1);
  });
});

describe("the MessagePack encoding", () => {
  for (const [what, malformed, message] of malformedPack) {
    test(`refuses ${what}`, () => {
      assert.throws(
        () => messagesIn(messagePackCodec, malformed),
        (error: Error) => error instanceof ProtocolError && message.test(error.message),
      );
    });
  }

  test("reads bytes as a plain Uint8Array, whatever they arrived in", () => {
    const sent = packed([1, {}, null, "a", [Uint8Array.of(1, 2)]]);
    for (const arrived of [Buffer.from(sent), Uint8Array.from(sent)]) {
      const [message] = messagesIn(messagePackCodec, arrived);
      const [value] = message?.type === 1 ? message.args : [];
      assert.equal(Object.getPrototypeOf(value), Uint8Array.prototype);
    }
  });

  test("refuses a message longer than allowed before it has come", () => {
    const reader = messagePackCodec.reader({ maxMessageBytes: 100, maxDepth: 8 });
    reader.push(prefixed(new Uint8Array(0), 100));
    assert.equal(reader.next(), undefined);
    const other = messagePackCodec.reader({ maxMessageBytes: 100, maxDepth: 8 });
    other.push(prefixed(new Uint8Array(0), 101));
    assert.throws(() => other.next(), /longer than 100/);
  });

  test("reads 64 levels, and a text that contains __proto__", () => {
    assert.equal(messagesIn(messagePackCodec, packed([1, {}, null, "__proto__", nested(63)])).length, 1);
  });

  test("reads every format of the specification", () => {
    const item = [
      [0x7f, 0xe0, 0xc0, 0xc2, 0xc3],
      [0xca, 0, 0, 0, 0, 0xcb, 0, 0, 0, 0, 0, 0, 0, 0],
      [0xcc, 1, 0xcd, 0, 1, 0xce, 0, 0, 0, 1, 0xcf, 0, 0, 0, 0, 0, 0, 0, 1],
      [0xd0, 1, 0xd1, 0, 1, 0xd2, 0, 0, 0, 1, 0xd3, 0, 0, 0, 0, 0, 0, 0, 1],
      [0xa1, 97, 0xd9, 1, 97, 0xda, 0, 1, 97, 0xdb, 0, 0, 0, 1, 97],
      [0xc4, 1, 0, 0xc5, 0, 1, 0, 0xc6, 0, 0, 0, 1, 0],
      [0x80, 0x90, 0xdc, 0, 0, 0xdd, 0, 0, 0, 0, 0xde, 0, 0, 0xdf, 0, 0, 0, 0],
      [0xd4, 1, 0, 0xd5, 1, 0, 0, 0xd6, 1, 0, 0, 0, 0],
      [0xd7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xd8, 1, ...Array.from({ length: 16 }, () => 0)],
      [0xc7, 1, 1, 0, 0xc8, 0, 1, 1, 0, 0xc9, 0, 0, 0, 1, 1, 0],
    ].flat();
    const count = 36;
    const [message] = messagesIn(
      messagePackCodec,
      bytes(0x95, 1, 0x80, 0xc0, 0xa1, 97, 0xdc, 0, count, ...item),
    );
    assert.equal(message?.type === 1 && message.args.length, count);
  });
});

for (const [codec, unknown] of [
  [jsonCodec, records('{"type":99,"x":1}', '{"type":6}')],
  [messagePackCodec, Buffer.concat([packed([99, 1]), packed([6])])],
] as const) {
  test(`the ${codec.name} encoding leaves out messages of types that it does not know`, () => {
    assert.deepEqual(messagesIn(codec, unknown), [{ type: 6 }]);
  });
}
