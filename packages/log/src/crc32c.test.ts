import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { crc32c, crc32cOfSpan } from "./crc32c.ts";

const ascending = Uint8Array.from({ length: 32 }, (_, i) => i);

// From RFC 3720, appendix B.4, plus the check value of the CRC catalogues.
const vectors: readonly (readonly [string, Uint8Array, number])[] = [
  ["nothing", new Uint8Array(0), 0],
  ["123456789", Buffer.from("123456789"), 0xe3069283],
  ["32 zeros", new Uint8Array(32), 0x8a9136aa],
  ["32 ones", new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ["ascending", ascending, 0x46dd794e],
  ["descending", ascending.toReversed(), 0x113fdb5c],
];

for (const [name, bytes, expected] of vectors) {
  test(`computes the CRC-32C of ${name}`, () => assert.equal(crc32c(bytes), expected));
}

test("matches a bit-by-bit CRC-32C, and continues over any split", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, at) => {
      const split = Math.min(at, bytes.length);
      const whole = crc32c(bytes);
      assert.equal(whole, bitByBit(bytes));
      assert.equal(crc32c(bytes.subarray(split), crc32c(bytes.subarray(0, split))), whole);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      assert.equal(crc32cOfSpan(view, split, bytes.length), crc32c(bytes.subarray(split)));
    }),
  );
});

test("refuses a span beyond the view", () => {
  assert.throws(() => crc32cOfSpan(new DataView(new ArrayBuffer(8)), 0, 9), RangeError);
});

function bitByBit(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}
