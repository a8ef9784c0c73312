import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { crc32c } from "./crc32c.ts";
import {
  encodeFrame,
  frameAt,
  frameEvents,
  frameHash,
  frameHeaderBytes,
  noHash,
  previousHash,
} from "./frame.ts";

const event: LoggedEvent = { type: "RoomCreated", id: "r1", version: 1, origin: "system", depth: 0 };
const largest = Number.MAX_SAFE_INTEGER;

// Must never change, because existing logs hold such frames.
const stored =
  "4c4447312ee090314a00000001000000" + // magic, CRC-32C, length 74, one event
  "0068e5cf8b0100000700000000000000" + // timestamp 1700000000000, sequence number 7
  "000102030405060708090a0b0c0d0e0f"; // hash of the frame before
const payload = '[{"type":"RoomCreated","id":"r1","version":1,"origin":"system","depth":0}]';

test("encodes a frame as documented", () => {
  const previous = Uint8Array.from({ length: 16 }, (_, i) => i);
  const frame = encodeFrame({ timestamp: 1_700_000_000_000, events: [event] }, 7, previous);
  assert.equal(frame.toString("hex"), stored + Buffer.from(payload).toString("hex"));
  const read = readAt(frame, 0);
  assert.deepEqual(read, {
    start: 0,
    end: frame.length,
    timestamp: 1_700_000_000_000,
    sequence: 7,
    count: 1,
  });
  assert.deepEqual(frameEvents(frame, read), { events: [event] });
  assert.deepEqual([...previousHash(frame, read)], [...previous]);
});

test("encodes removed events as numbers, and a whole commit without any", () => {
  const text = JSON.stringify(event);
  for (const [indexes, list] of [
    [[2, 3, 7], `[2,${text},${text},3,${text}]`],
    [[0, 1, 2], `[${text},${text},${text}]`],
    [[0, 2, 4], `[${text},1,${text},1,${text}]`],
  ] as const) {
    const events = [event, event, event];
    const bytes = encodeFrame({ timestamp: 5, events, indexes }, 1, noHash);
    assert.equal(bytes.toString("utf8", frameHeaderBytes), list);
    const read = readAt(bytes, 0);
    assert.equal(read.count, 3);
    assert.deepEqual(
      frameEvents(bytes, read),
      indexes[0] + indexes[2] === 2 ? { events } : { events, indexes },
    );
  }
});

test("refuses indexes that do not rise, are missing or are not whole numbers", () => {
  for (const indexes of [[1, 1], [1, 0], [-1, 0], [0], [0.5, 1]]) {
    assert.throws(() => encodeFrame({ timestamp: 5, events: [event, event], indexes }, 1, noHash), TypeError);
  }
});

test("encodes timestamps and sequence numbers up to 2^53 - 1", () => {
  const frame = encodeFrame({ timestamp: largest, events: [] }, largest, noHash);
  assert.deepEqual(readAt(frame, 0), {
    start: 0,
    end: frameHeaderBytes + 2,
    timestamp: largest,
    sequence: largest,
    count: 0,
  });
});

test("hashes a frame to the start of its SHA-256, wherever it is in the block", () => {
  const frame = encodeFrame({ timestamp: 5, events: [event] }, 1, noHash);
  const block = Buffer.concat([frame, frame]);
  const alone = frameHash(frame, { start: 0, end: frame.length });
  assert.equal(alone.length, 16);
  assert.deepEqual(frameHash(block, { start: frame.length, end: block.length }), alone);
});

const frame = encodeFrame({ timestamp: 5, events: [event] }, 1, noHash);

/** Returns a copy of the frame with one byte changed, and with a recomputed checksum if `checksum` is "new". */
function changed(at: number, value: number, checksum: "old" | "new"): Buffer {
  const copy = Buffer.from(frame);
  copy.writeUInt8(value, at);
  if (checksum === "new") copy.writeUInt32LE(crc32c(copy.subarray(8)), 4);
  return copy;
}

const wrong: readonly (readonly [string, Buffer, RegExp])[] = [
  ["nothing", Buffer.alloc(0), /header/],
  ["half a header", frame.subarray(0, 30), /header/],
  ["half a payload", frame.subarray(0, frame.length - 1), /payload/],
  ["zeros", Buffer.alloc(4096), /no frame/],
  ["another version", changed(3, 0x32, "new"), /no frame/],
  ["a length beyond the block", changed(11, 0xff, "new"), /payload/],
  ["a shorter length", changed(8, 1, "old"), /checksum/],
  ["another payload", changed(frameHeaderBytes + 5, 0x20, "old"), /checksum/],
  ["a timestamp beyond 2^53", changed(23, 0xff, "new"), /2\^53/],
  ["a sequence number beyond 2^53", changed(31, 0xff, "new"), /2\^53/],
];
for (const [name, bytes, problem] of wrong) {
  test(`rejects a frame: ${name}`, () => {
    const found = frameAt(viewOf(bytes), 0);
    assert.ok(typeof found === "string");
    assert.match(found, problem);
  });
}

test("returns no events when the payload does not match the header", () => {
  for (const bytes of [
    changed(12, 2, "new"),
    changed(15, 0xff, "new"),
    changed(frameHeaderBytes, 0x20, "new"),
  ]) {
    assert.equal(frameEvents(bytes, readAt(bytes, 0)), undefined);
  }
});

function readAt(bytes: Buffer, start: number): Exclude<ReturnType<typeof frameAt>, string> {
  const found = frameAt(viewOf(bytes), start);
  if (typeof found === "string") assert.fail(found);
  return found;
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
