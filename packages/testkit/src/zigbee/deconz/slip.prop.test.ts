import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fromHex, hexOf } from "../bytes.ts";
import { encodeFrame, parseFrame, type DeconzFrame } from "./frame.ts";
import { encodeSlip, SlipReader } from "./slip.ts";

const byte = fc.nat(0xff);
const content = fc.uint8Array({ minLength: 1, maxLength: 200 });
const anyFrame: fc.Arbitrary<DeconzFrame> = fc.record(
  { command: byte, sequence: byte, status: byte, payload: fc.uint8Array({ maxLength: 200 }) },
  { noNullPrototype: true },
);

test("writes and reads the first request of the protocol document", () => {
  const frame = { command: 0x0d, sequence: 5, status: 0, payload: fromHex("00000000") };
  assert.equal(hexOf(encodeFrame(frame)), "0d0500090000000000e5ff");
  assert.deepEqual(parseFrame(fromHex("0d0500090000000000e5ff")), frame);
});

test("escapes ends and escapes", () => {
  const onLine = "c0dbdc01dbddc0";
  assert.equal(hexOf(encodeSlip(fromHex("c001db"))), onLine);
  assert.deepEqual(new SlipReader().push(fromHex(onLine)), [fromHex("c001db")]);
});

test("reads content in any pieces", () => {
  fc.assert(
    fc.property(fc.array(content, { maxLength: 6 }), fc.integer({ min: 1, max: 300 }), (all, length) => {
      const stream = all.flatMap((one) => [...encodeSlip(one)]);
      const reader = new SlipReader();
      const read: Uint8Array[] = [];
      for (let at = 0; at < stream.length; at += length)
        read.push(...reader.push(Uint8Array.from(stream.slice(at, at + length))));
      assert.deepEqual(read, all);
    }),
  );
});

test("reads the next frame after random bytes, and takes no random bytes for a frame", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), anyFrame, (noise, next) => {
      const read = new SlipReader().push(Uint8Array.from([...noise, ...encodeSlip(encodeFrame(next))]));
      const frames = read.map(parseFrame);
      assert.deepEqual(frames.at(-1), next);
      assert.deepEqual(
        frames.slice(0, -1).filter((frame) => frame !== null),
        [],
      );
    }),
  );
});

test("drops a frame with a flipped bit or a lost byte", () => {
  fc.assert(
    fc.property(anyFrame, fc.nat(), fc.nat(7), fc.boolean(), (frame, place, bit, isLost) => {
      const bytes = encodeFrame(frame);
      const at = place % bytes.length;
      const damaged = isLost
        ? Uint8Array.from([...bytes.slice(0, at), ...bytes.slice(at + 1)])
        : bytes.with(at, (bytes[at] ?? 0) ^ (1 << bit));
      assert.equal(parseFrame(damaged), null);
    }),
  );
});

test("drops wrong escapes and content that is too long", () => {
  const reader = new SlipReader();
  const tooLong = Uint8Array.from([...new Uint8Array(600), 0xc0]);
  const wrong = fromHex("c0db01c0");
  assert.deepEqual(reader.push(Uint8Array.from([...wrong, ...tooLong, 1, 0xc0])), [Uint8Array.of(1)]);
});
