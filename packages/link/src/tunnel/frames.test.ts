import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameReader } from "./frames.ts";

function frame(type: number, bytes: number): Buffer {
  const made = Buffer.alloc(9 + bytes, 0xff);
  made.writeUIntBE(bytes, 0, 3);
  made[3] = type;
  return made;
}

test("FrameReader finds the frames after the preface, in whatever pieces they come", () => {
  const sent = [
    [4, 0],
    [0, 300],
    [6, 8],
    [0, 0],
    [200, 70_000],
    [1, 1],
  ] as const;
  const bytes = Buffer.concat([Buffer.from("preface"), ...sent.map(([type, length]) => frame(type, length))]);
  for (const size of [1, 2, 9, 10, 1000, bytes.length]) {
    const heard: [number, number][] = [];
    const reader = new FrameReader(7, (type, length) => heard.push([type, length]));
    for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
    assert.deepEqual(heard, sent, `in pieces of ${size}`);
  }
});
