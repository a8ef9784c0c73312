import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checksumOf, SerialFrames, serialByte } from "./serial-frames.ts";

const { sof, ack, nak, can } = serialByte;

function frameOf(payload: readonly number[]): Uint8Array {
  const frame = Uint8Array.from([sof, payload.length + 1, ...payload, 0]);
  return frame.with(frame.length - 1, checksumOf(frame));
}

/** The example of INS12350: the request for the version of the chip. */
const version = Uint8Array.from([0x01, 0x03, 0x00, 0x15, 0xe9]);

test("reads a frame with the checksum of the specification", () => {
  assert.deepEqual(new SerialFrames().take(version), [{ type: "frame", bytes: version }]);
});

test("reads control bytes around a frame and skips what begins no frame", () => {
  const stream = Uint8Array.from([0xff, ack, ...version, 0x00, nak, can]);
  assert.deepEqual(new SerialFrames().take(stream), [
    { type: "control", byte: ack },
    { type: "frame", bytes: version },
    { type: "control", byte: nak },
    { type: "control", byte: can },
  ]);
});

test("reports a frame with a wrong checksum as damaged, and reads the next", () => {
  const damaged = version.with(3, 0x16);
  const arrivals = new SerialFrames().take(Uint8Array.from([...damaged, ...version]));
  assert.deepEqual(
    arrivals.map(({ type }) => type),
    ["damaged", "frame"],
  );
});

test("skips a frame that is too short to say anything", () => {
  assert.deepEqual(new SerialFrames().take(Uint8Array.from([sof, 0x00, ...version])), [
    { type: "frame", bytes: version },
  ]);
});

test("forgets the beginning of a frame on a reset", () => {
  const frames = new SerialFrames();
  assert.deepEqual(frames.take(version.subarray(0, 3)), []);
  frames.reset();
  assert.deepEqual(frames.take(version), [{ type: "frame", bytes: version }]);
});

test("reads the same frames wherever the stream is cut", () => {
  const payload = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 2, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(payload, { maxLength: 6 }), fc.array(fc.nat(60)), (payloads, cuts) => {
      const sent = payloads.map(frameOf);
      const stream = Uint8Array.from(sent.flatMap((frame) => [...frame, ack]));
      const frames = new SerialFrames();
      const read: Uint8Array[] = [];
      let from = 0;
      for (const cut of [...cuts, stream.length]) {
        for (const arrival of frames.take(stream.subarray(from, from + cut)))
          if (arrival.type === "frame") read.push(arrival.bytes);
        from = Math.min(from + cut, stream.length);
      }
      for (const arrival of frames.take(stream.subarray(from)))
        if (arrival.type === "frame") read.push(arrival.bytes);
      assert.deepEqual(read, sent);
    }),
    { numRuns: 100 },
  );
});
