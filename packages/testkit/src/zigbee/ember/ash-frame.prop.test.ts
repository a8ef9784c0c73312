import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fromHex, hexOf } from "../bytes.ts";
import { AshReader, encodeAsh, type AshFrame } from "./ash-frame.ts";

const reserved = new Set([0x11, 0x13, 0x18, 0x1a, 0x7d, 0x7e]);
const number = fc.nat(7);
const byte = fc.nat(0xff);
const anyFrame: fc.Arbitrary<AshFrame> = fc.oneof(
  fc.record({
    type: fc.constant("data" as const),
    number,
    ack: number,
    isRepeated: fc.boolean(),
    data: fc.uint8Array({ minLength: 3, maxLength: 220 }),
  }),
  fc.record({ type: fc.constantFrom("ack" as const, "nak" as const), ack: number, isReady: fc.boolean() }),
  fc.constant({ type: "reset" } as const),
  fc.record({ type: fc.constantFrom("reset done" as const, "error" as const), version: byte, code: byte }),
);

/** Removes the null prototypes of generated records. */
const plain = (frame: AshFrame): AshFrame => ({ ...frame });

for (const [frame, hex] of [
  [{ type: "reset" }, "c038bc7e"],
  [{ type: "reset done", version: 2, code: 2 }, "c102029b7b7e"],
  [{ type: "ack", ack: 1, isReady: true }, "8160597e"],
  [{ type: "ack", ack: 6, isReady: false }, "8e91b67e"],
  [{ type: "nak", ack: 6, isReady: true }, "a634dc7e"],
  [{ type: "nak", ack: 5, isReady: false }, "ad85b77e"],
  [{ type: "data", number: 2, ack: 5, isRepeated: false, data: fromHex("00000002") }, "254221a856a6097e"],
] as const satisfies readonly (readonly [AshFrame, string])[])
  test(`writes and reads the example ${hex} of UG101`, () => {
    assert.equal(hexOf(encodeAsh(frame)), hex);
    assert.deepEqual(new AshReader().push(fromHex(hex)), [frame]);
  });

test("reads frames in any pieces, with XON and XOFF in between and after cancelled ones", () => {
  const between = fc.array(fc.constantFrom(0x11, 0x13, 0x7e), { maxLength: 3 });
  const cancelled = fc.option(
    anyFrame.map((frame) => [...encodeAsh(frame).slice(0, -1), 0x1a]),
    { nil: [] },
  );
  const sent = fc.array(fc.tuple(cancelled, between, anyFrame), { maxLength: 6 });
  fc.assert(
    fc.property(sent, fc.integer({ min: 1, max: 300 }), (all, length) => {
      const stream = all.flatMap(([before, noise, frame]) => [...before, ...noise, ...encodeAsh(frame)]);
      const reader = new AshReader();
      const read = [];
      for (let at = 0; at < stream.length; at += length)
        read.push(...reader.push(Uint8Array.from(stream.slice(at, at + length))));
      assert.deepEqual(
        read,
        all.map(([, , frame]) => plain(frame)),
      );
    }),
  );
});

test("finds the next frame after a flipped bit, and never takes the flipped one for good", () => {
  fc.assert(
    fc.property(anyFrame, anyFrame, fc.nat(), fc.nat(7), (broken, next, place, bit) => {
      const bytes = encodeAsh(broken);
      const at = place % (bytes.length - 1);
      const flipped = (bytes[at] ?? 0) ^ (1 << bit);
      fc.pre(!reserved.has(bytes[at] ?? 0) && !reserved.has(flipped));
      const read = new AshReader().push(Uint8Array.from([...bytes.with(at, flipped), ...encodeAsh(next)]));
      assert.deepEqual(read.map(({ type }) => type).slice(0, 1), ["damaged"]);
      assert.deepEqual(read.slice(1), [plain(next)]);
    }),
  );
});

test("survives lost bytes and random bytes, and reads the next whole frame", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), anyFrame, (noise, next) => {
      const read = new AshReader().push(Uint8Array.from([...noise, 0x7e, ...encodeAsh(next)]));
      assert.deepEqual(read.at(-1), plain(next));
    }),
  );
});

test("rejects frames that are too long, too short or substituted", () => {
  const long = encodeAsh({ type: "data", number: 0, ack: 0, isRepeated: false, data: new Uint8Array(221) });
  const short = encodeAsh({ type: "data", number: 0, ack: 0, isRepeated: false, data: new Uint8Array(2) });
  const substituted = fromHex("811860597e");
  for (const [bytes, isData] of [
    [long, true],
    [short, true],
    [substituted, false],
  ] as const)
    assert.deepEqual(new AshReader().push(bytes), [{ type: "damaged", isData }]);
});
