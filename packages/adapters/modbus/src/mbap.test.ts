import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { takeMessages, toMessage } from "./mbap.ts";

const message = fc
  .tuple(fc.integer({ min: 0, max: 0xffff }), fc.uint8Array({ minLength: 3, maxLength: 254 }))
  .map(([transaction, bytes]) => ({ transaction, bytes: Buffer.from(bytes) }));

test("finds whole messages, however the stream is cut", () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (sent, sizes) => {
        const stream = Buffer.concat(sent.map(toMessage));
        const found: { transaction: number; bytes: Buffer }[] = [];
        let received: Buffer = Buffer.alloc(0);
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          const { messages, rest } = takeMessages(Buffer.concat([received, stream.subarray(at, at + size)]));
          assert.ok(rest);
          found.push(...messages);
          received = rest;
          at += size;
        }
        assert.deepEqual(found, sent);
        assert.equal(received.length, 0);
      },
    ),
  );
});

const broken: readonly [title: string, header: number[]][] = [
  ["another protocol", [0, 1, 0, 9, 0, 6]],
  ["a length of zero", [0, 1, 0, 0, 0, 0]],
  ["a length beyond any message", [0, 1, 0, 0, 0, 255]],
  ["text", [...Buffer.from("HTTP/1.1 400")]],
];

for (const [title, header] of broken) {
  test(`${title}: gives up the stream but keeps earlier messages`, () => {
    const good = { transaction: 7, bytes: Buffer.of(1, 3, 2, 0, 5) };
    const { messages, rest } = takeMessages(Buffer.concat([toMessage(good), Buffer.from(header)]));
    assert.deepEqual(messages, [good]);
    assert.equal(rest, undefined);
  });
}
