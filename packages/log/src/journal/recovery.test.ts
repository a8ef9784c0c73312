import assert from "node:assert/strict";
import { test } from "node:test";
import { frameHash, noHash } from "../frame.ts";
import type { Tail } from "../block.ts";
import { blocksIn, frameBytes, type JournalBlock, writeFrame } from "./frame.ts";
import { regionBytes } from "./layout.ts";
import { continuation } from "./recovery.ts";
import { chainOf } from "./testdata.ts";

const chain = chainOf(12);
const start: Tail = { timestamp: 0, sequence: 0, hash: noHash };

/** Blocks of three commits each, as read from a journal. */
const found: JournalBlock[] = [...blocksIn(regionOf(chain), 1n)];

function regionOf(frames: readonly Buffer[]): Buffer {
  const region = Buffer.alloc(regionBytes);
  for (let i = 0, at = 0; i < frames.length; i += 3) {
    const block = Buffer.concat(frames.slice(i, i + 3));
    writeFrame(region.subarray(at), 1n, block);
    at += frameBytes(block.length);
  }
  return region;
}

function tailAt(count: number, frames = chain): Tail {
  const frame = frames[count - 1] as Buffer;
  return { timestamp: count, sequence: count, hash: frameHash(frame, { start: 0, end: frame.length }) };
}

const taken = (blocks: readonly JournalBlock[], tail: Tail): unknown[] => {
  const { blocks: kept, end, gap } = continuation(blocks, tail);
  return [Buffer.concat(kept.map(({ bytes }) => bytes)), end.sequence, gap?.problem];
};
const behind = (count: number, until = 12): Buffer => Buffer.concat(chain.slice(count, until));

test("takes all blocks after the log's end, whatever their order in the journal", () => {
  assert.equal(found.length, 4);
  assert.deepEqual(taken(found, start), [behind(0), 12, undefined]);
  assert.deepEqual(taken(found.toReversed(), tailAt(6)), [behind(6), 12, undefined]);
  assert.deepEqual(taken(found, tailAt(12)), [Buffer.alloc(0), 12, undefined]);
  assert.deepEqual(taken([], tailAt(12)), [Buffer.alloc(0), 12, undefined]);
});

test("takes the rest of a block when the log ends within it", () => {
  for (const count of [1, 2, 4, 5, 7, 11]) {
    assert.deepEqual(taken(found, tailAt(count)), [behind(count), 12, undefined], `behind ${count}`);
  }
});

test("reports a gap and the size of what lies beyond it", () => {
  const without = [0, 1, 3].map((i) => found[i] as JournalBlock);
  const { gap } = continuation(without, start);
  assert.deepEqual(taken(without, start).slice(0, 2), [behind(0, 6), 6]);
  assert.equal(gap?.bytes, behind(9).length);
  assert.match(gap.problem, /10 behind 6/);
  assert.match(String(taken(found.slice(1), start)[2]), /4 behind 0/);
});

test("rejects a block whose hash does not follow the log's end", () => {
  const others = chainOf(6, "another history");
  assert.match(String(taken(found.slice(2), tailAt(6, others))[2]), /7 does not follow/);
});
