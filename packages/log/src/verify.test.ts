import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { type Block, blockOf } from "./block.ts";
import { crc32c } from "./crc32c.ts";
import { encodeFrame, frameHash, noHash } from "./frame.ts";
import { verifyBlocks } from "./verify.ts";

const events: LoggedEvent[] = [{ type: "Noted", id: "x", version: 1, origin: "system", depth: 0 }];
type Place = readonly [timestamp: number, sequence: number];

/** Returns blocks of frames at these places, each with the hash of the one before. */
function blocksAt(...places: readonly (readonly Place[])[]): Block[] {
  let hash = noHash;
  return places.map((group) => {
    const frames = group.map(([timestamp, sequence]) => {
      const frame = encodeFrame({ timestamp, events }, sequence, hash);
      hash = frameHash(frame, { start: 0, end: frame.length });
      return frame;
    });
    return blockOf(group[0]?.[0] ?? 0, Buffer.concat(frames));
  });
}

const whole = (): Block[] =>
  blocksAt(
    [[10, 1]],
    [
      [20, 2],
      [30, 3],
    ],
    [[40, 4]],
  );
const [first, second, third] = whole() as [Block, Block, Block];

/** Returns a block with one byte of its first frame changed and the checksum recomputed. */
function forged(block: Block, at: number, value: number): Block {
  const bytes = Buffer.from(block.bytes);
  bytes.writeUInt8(value, at);
  const end = 48 + bytes.readUInt32LE(8);
  bytes.writeUInt32LE(crc32c(bytes.subarray(8, end)), 4);
  return blockOf(block.timestamp, bytes);
}

const found: readonly (readonly [string, Block[], ReturnType<typeof verifyBlocks>["damage"]])[] = [
  ["nothing in a whole log", whole(), []],
  ["a missing block", [first, third], [{ timestamp: 40, problem: "sequence number 4 follows 1" }]],
  ["a missing first block", [second, third], [{ timestamp: 20, problem: "sequence number 2 follows 0" }]],
  ["a missing last block", [first, second], [{ timestamp: 30, problem: "the log ends before 40" }]],
  ["a missing log", [], [{ timestamp: 0, problem: "the log ends before 40" }]],
  [
    "a timestamp that does not rise, within a block and between two",
    blocksAt(
      [
        [10, 1],
        [10, 2],
      ],
      [[20, 3]],
      [[20, 4]],
      [[40, 5]],
    ),
    [
      { timestamp: 10, problem: "timestamp 10 follows 10" },
      { timestamp: 20, problem: "timestamp 20 follows 20" },
    ],
  ],
  [
    "a block under another key",
    [first, blockOf(21, second.bytes), third],
    [{ timestamp: 21, problem: "stored under 21 instead of 20" }],
  ],
  [
    "a wrong hash of the frame before",
    [first, forged(second, 40, 0), third],
    [{ timestamp: 20, problem: "the hash of the frame before is another" }],
  ],
  [
    "a changed commit with a right checksum, by the hash in the next frame",
    [forged(first, 60, 0x41), second, third],
    [{ timestamp: 20, problem: "the hash of the frame before is another" }],
  ],
  [
    "a payload with another number of events than counted",
    [first, second, forged(third, 12, 2)],
    [{ timestamp: 40, problem: "the payload is not the events that the header counts" }],
  ],
  [
    "an empty block",
    [first, blockOf(20, Buffer.alloc(0)), third],
    [{ timestamp: 20, problem: "cut short within a frame's header" }],
  ],
];
for (const [name, blocks, damage] of found) {
  test(`verifying finds ${name}`, () => assert.deepEqual(verifyBlocks(blocks, 40).damage, damage));
}

test("verifying counts whole frames, also after damage", () => {
  const {
    commits,
    events: counted,
    first: oldest,
    last,
  } = verifyBlocks([first, forged(second, 40, 0), third], 40);
  assert.deepEqual([commits, counted, oldest, last], [2, 2, 10, 40]);
});

test("verifying reports a store whose read fails", () => {
  const failing = function* (): Generator<Block> {
    yield first;
    throw new Error("page not found");
  };
  assert.deepEqual(verifyBlocks(failing(), 40).damage, [{ timestamp: 10, problem: "Error: page not found" }]);
});
