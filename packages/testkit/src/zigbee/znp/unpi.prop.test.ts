import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeFrame, FrameReader, frameType, maxData, type UnpiFrame } from "./unpi.ts";

const startOfFrame = 0xfe;

const anyFrame: fc.Arbitrary<UnpiFrame> = fc.record(
  {
    type: fc.constantFrom(...Object.values(frameType)),
    subsystem: fc.nat(0x1f),
    id: fc.nat(0xff),
    data: fc.uint8Array({ maxLength: maxData }),
  },
  { noNullPrototype: true },
);
const anyNoise = fc
  .uint8Array({ maxLength: 20 })
  .map((bytes) => bytes.filter((byte) => byte !== startOfFrame));

/** Cuts bytes into pieces, repeating the given lengths. */
function cut(bytes: Uint8Array, lengths: readonly number[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0, index = 0; from < bytes.length; index += 1) {
    const length = lengths[index % lengths.length] ?? 1;
    pieces.push(bytes.slice(from, from + length));
    from += length;
  }
  return pieces;
}

test("reads frames in any pieces and with anything in between", () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(fc.array(fc.tuple(anyNoise, anyFrame), { maxLength: 8 }), lengths, (sent, pieces) => {
      const stream = Uint8Array.from(sent.flatMap(([noise, frame]) => [...noise, ...encodeFrame(frame)]));
      const reader = new FrameReader();
      assert.deepEqual(
        cut(stream, pieces).flatMap((piece) => reader.push(piece)),
        sent.map(([, frame]) => frame),
      );
    }),
  );
});

test("finds the next frame after a wrong bit or half a frame", () => {
  const broken = encodeFrame({ type: frameType.sreq, subsystem: 4, id: 1, data: Uint8Array.of(1, 2, 3) });
  const whole = { type: frameType.sreq, subsystem: 1, id: 2, data: Uint8Array.of(7) };
  // The reader waits for the rest of an incomplete frame; these bytes end that wait.
  const rest = [...encodeFrame(whole), ...new Uint8Array(300)];
  for (let at = 0; at < broken.length; at += 1) {
    const wrong = broken.with(at, (broken[at] ?? 0) ^ 1);
    for (const damaged of [wrong, broken.slice(0, at)]) {
      assert.deepEqual(new FrameReader().push(Uint8Array.from([...damaged, ...rest])), [whole], `at ${at}`);
    }
  }
});

test("holds up to 250 bytes in a payload", () => {
  const frame = { type: frameType.sreq, subsystem: 1, id: 1, data: new Uint8Array(maxData) };
  assert.deepEqual(new FrameReader().push(encodeFrame(frame)), [frame]);
  assert.throws(() => encodeFrame({ ...frame, data: new Uint8Array(maxData + 1) }), RangeError);
});
