import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameReader, fromHex } from "./index.ts";

const long = "68 05 05 68 08 01 70 01 02 7C 16";

test("takes frames out of bytes that arrive one by one", () => {
  const reader = new FrameReader();
  const bytes = fromHex(`E5 10 40 FD 3D 16 ${long}`);
  const frames = [...bytes].flatMap((byte) => reader.push(Uint8Array.of(byte)));
  assert.deepEqual(
    frames.map(({ type }) => type),
    ["ack", "short", "long"],
  );
  assert.deepEqual([reader.dropped, reader.waiting], [0, 0]);
});

test("loses no frame behind a disturbance, and counts what it dropped", () => {
  const reader = new FrameReader();
  const frames = reader.push(fromHex(`00 FF 68 ${long} 10 40 FD 00 16 E5`));
  assert.deepEqual(
    frames.map(({ type }) => type),
    ["long", "ack"],
  );
  assert.equal(reader.dropped, 8);
});

test("forgets half a frame when told so", () => {
  const reader = new FrameReader();
  assert.deepEqual(reader.push(fromHex("68 05 05")), []);
  assert.equal(reader.waiting, 3);
  reader.clear();
  assert.equal(reader.push(fromHex("E5")).length, 1);
});

test("holds no more than one frame of endless noise", () => {
  const reader = new FrameReader();
  for (let i = 0; i < 10_000; i++) {
    reader.push(Uint8Array.of(0x68, 0xff, 0xff, 0x68, i & 0xff));
    assert.ok(reader.waiting <= 261);
  }
});
