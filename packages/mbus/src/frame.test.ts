import assert from "node:assert/strict";
import { test } from "node:test";
import { type Frame, fromHex, MbusError, readFrame, toHex, writeFrame } from "./index.ts";

const frames: Readonly<Record<string, Frame>> = {
  E5: { type: "ack" },
  "10 40 FD 3D 16": { type: "short", control: 0x40, address: 253 },
  "10 7B 05 80 16": { type: "short", control: 0x7b, address: 5 },
  "68 03 03 68 53 FE BD 0E 16": { type: "control", control: 0x53, address: 254, information: 0xbd },
  "68 05 05 68 08 01 70 01 02 7C 16": {
    type: "long",
    control: 0x08,
    address: 1,
    information: 0x70,
    data: Uint8Array.of(1, 2),
  },
};

for (const [hex, frame] of Object.entries(frames)) {
  test(`reads and writes ${hex}`, () => {
    assert.deepEqual(readFrame(fromHex(hex)), frame);
    assert.equal(toHex(writeFrame(frame)), hex);
  });
}

for (const [hex, code, message] of [
  ["", "truncated", /ends after 0 bytes/],
  ["55", "frame", /no frame begins with 55/],
  ["10 40 FD 3D", "truncated", /ends after 4 bytes/],
  ["10 40 FD 3E 16", "checksum", /is 3E, not 3D/],
  ["10 40 FD 3D 17", "frame", /ends with 17, not 16/],
  ["10 41 FD 3E 16", "frame", /no frame has the C field 41/],
  ["E5 E5", "frame", /1 bytes follow/],
  ["68 02 02 68 08 01 09 16", "frame", /2 bytes is too short/],
  ["68 03 04 68", "frame", /the lengths 03 and 04 differ/],
  ["68 03 03 69", "frame", /second start is 69/],
  ["68 03 03 68 08 01 70 79", "truncated", /ends after 8 bytes/],
  ["68 03 03 68 08 01 70 78 16", "checksum", /is 78, not 79/],
] as const) {
  test(`refuses "${hex}"`, () => {
    assert.throws(
      () => readFrame(fromHex(hex)),
      (error) => error instanceof MbusError && error.code === code && message.test(error.message),
    );
  });
}

test("writes at most 252 bytes of data, and only bytes", () => {
  const frame = { type: "long", control: 0x53, address: 1, information: 0x51 } as const;
  assert.equal(writeFrame({ ...frame, data: new Uint8Array(252) }).length, 261);
  assert.throws(
    () => writeFrame({ ...frame, data: new Uint8Array(253) }),
    /253 bytes of data exceed the 252/,
  );
  assert.throws(() => writeFrame({ type: "short", control: 0x40, address: 256 }), /256 is not a byte/);
});

test("refuses a text that is not hexadecimal", () => {
  assert.throws(() => fromHex("1 2x"), /not hexadecimal/);
});
