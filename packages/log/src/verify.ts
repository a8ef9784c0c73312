import { type Block, type Compaction, nextFrame, origin, type Position } from "./block.ts";
import { across, reached } from "./compaction.ts";
import type { Verification } from "./event-log.ts";
import { type Frame, frameEvents, frameHash, noHash, previousHash } from "./frame.ts";

interface Before extends Position {
  readonly hash: Uint8Array;
}

/**
 * Walks blocks and checks every frame, its payload, its place and the chain of hashes. After damage it goes on
 * with the next block, whose place it cannot check then.
 * @param blocks all blocks of a log, in order
 * @param last timestamp (ms) of the newest durable commit
 * @param compaction of the same log
 * @param onWalked called with the timestamp (ms) of each walked block
 */
export function verifyBlocks(
  blocks: Iterable<Block>,
  last: number,
  compaction?: Compaction,
  onWalked: (timestamp: number) => void = () => {},
): Verification {
  const found = { commits: 0, events: 0, first: 0, last: 0 };
  const damage: { timestamp: number; problem: string }[] = [];
  let before: Before | undefined = { ...origin, hash: noHash };
  try {
    for (const block of blocks) {
      let offset = 0;
      const place = acrossWithHash(compaction, block, before);
      if (typeof place === "string") damage.push({ timestamp: block.timestamp, problem: place });
      before = typeof place === "string" ? compaction?.seam : place;
      do {
        const frame = checkedFrame(block, offset, before);
        if (typeof frame === "string") {
          damage.push({ timestamp: offset === 0 ? block.timestamp : found.last, problem: frame });
          before = undefined;
          break;
        }
        found.commits += 1;
        found.events += frame.count;
        found.first ||= frame.timestamp;
        found.last = frame.timestamp;
        before = { ...frame, hash: frameHash(block.bytes, frame) };
        offset = frame.end;
      } while (offset < block.bytes.length);
      onWalked(block.timestamp);
    }
  } catch (error) {
    damage.push({ timestamp: found.last, problem: String(error) });
  }
  if (damage.length === 0 && reached(compaction, before ?? origin) < last) {
    damage.push({ timestamp: found.last, problem: `the log ends before ${last}` });
  }
  return { ...found, damage };
}

/** Like `across`, and also checks the hash of the last compacted frame. */
function acrossWithHash(
  compaction: Compaction | undefined,
  block: Block,
  before: Before | undefined,
): Before | undefined | string {
  const place = across(compaction, block, before);
  if (place === before || before === undefined || compaction === undefined) return place;
  const isSame = Buffer.compare(before.hash, compaction.end.hash) === 0;
  return isSame ? place : "the hash of the last compacted frame is another";
}

function checkedFrame(block: Block, offset: number, before: Before | undefined): Frame | string {
  const frame = nextFrame(block, offset, before);
  if (typeof frame === "string") return frame;
  if (frameEvents(block.bytes, frame) === undefined)
    return "the payload is not the events that the header counts";
  if (before !== undefined && !previousHash(block.bytes, frame).equals(before.hash)) {
    return "the hash of the frame before is another";
  }
  return frame;
}
