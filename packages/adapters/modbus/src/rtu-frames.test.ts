import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { crc16, silenceMs, takeAnswers, transmissionMs, withCrc } from "./rtu-frames.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

// Frames from manuals of serial devices.
const frames = [
  "01 03 04 00 06 00 05 da 31",
  "11 05 00 ac ff 00 4e 8b",
  "11 06 00 01 00 03 9a 9b",
  "0a 81 02 b0 53",
];

test("computes the CRC of known frames", () => {
  for (const frame of frames) {
    const bytes = hex(frame);
    assert.equal(crc16(bytes.subarray(0, -2)), bytes.readUInt16LE(bytes.length - 2), frame);
    assert.deepEqual(withCrc(bytes.subarray(0, -2)), bytes);
  }
});

test("finds answers however they are cut, and after any noise", () => {
  const noise = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes));
  const parts = fc.array(fc.tuple(noise, fc.constantFrom(...frames.map(hex))), {
    minLength: 1,
    maxLength: 4,
  });
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  fc.assert(
    fc.property(parts, cuts, (pairs, sizes) => {
      const stream = Buffer.concat(pairs.flat());
      const found: Buffer[] = [];
      let received: Buffer = Buffer.alloc(0);
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        const { answers, rest } = takeAnswers(Buffer.concat([received, stream.subarray(at, at + size)]));
        found.push(...answers);
        received = rest;
        at += size;
      }
      const wanted = pairs.map(([, frame]) => frame.toString("hex"));
      // Noise may look like an answer; the sent frames must be found all the same, in order.
      const sent = found.map((frame) => frame.toString("hex")).filter((frame) => wanted.includes(frame));
      assert.deepEqual(sent, wanted);
    }),
  );
});

test("refuses a frame with a wrong byte", () => {
  for (const frame of frames) {
    const bytes = hex(frame);
    for (let index = 0; index < bytes.length; index++) {
      const broken = Buffer.from(bytes);
      broken.writeUInt8((bytes[index] ?? 0) ^ 0x10, index);
      assert.deepEqual(takeAnswers(broken).answers, [], `${frame} broken at ${index}`);
    }
  }
});

test("does not buffer endless noise", () => {
  let received: Buffer = Buffer.alloc(0);
  for (let round = 0; round < 50; round++)
    received = takeAnswers(Buffer.concat([received, Buffer.alloc(100, 0x2a)])).rest;
  assert.ok(received.length <= 256);
});

const line = {
  type: "rtu",
  path: "/dev/null",
  baudRate: 9600,
  dataBits: 8,
  stopBits: 1,
  parity: "none",
} as const;

test("the silence between frames is 3.5 characters, or 1.75 ms on fast lines", () => {
  assert.equal(silenceMs(line), 4);
  assert.equal(silenceMs({ ...line, baudRate: 1200, parity: "even" }), 33);
  assert.equal(silenceMs({ ...line, baudRate: 115_200 }), 2);
});

test("computes the transmission time of the longest answer", () => {
  assert.equal(transmissionMs(255, line), 266);
  assert.equal(transmissionMs(255, { ...line, baudRate: 1200, parity: "even" }), 2338);
});
