import { type Commit, indexIn, limits, type LoggedEvent } from "@ledge/model";
import {
  type Block,
  blockOf,
  type BlockStore,
  type Compaction,
  nextFrame,
  origin,
  type Position,
  type Rewrite,
  type Tail,
} from "./block.ts";
import { decodeRecord, encodeRecord } from "./chunks.ts";
import { LogError } from "./event-log.ts";
import { encodeFrame, frameEvents, frameHash, noHash, previousHash } from "./frame.ts";

/*
 * The blocks up to the horizon form a chain of their own, with sequence numbers from 1 and hashes from `noHash`.
 * The first frame after the horizon still names the original frame before it, which is `seam`.
 */

/** Whether an event stays. */
export type Keep = (timestamp: number, index: number, event: LoggedEvent) => boolean;

/** How many bytes one turn of the event loop works on. */
export const sliceBytes = 32_768;

interface Stored extends Omit<Compaction, "seam" | "end"> {
  readonly seam: StoredTail;
  readonly end: StoredTail;
}
interface StoredTail extends Position {
  /** In hexadecimal. */
  readonly hash: string;
}

export function encodeCompaction(compaction: Compaction): Buffer {
  const stored: Stored = { ...compaction, seam: toStored(compaction.seam), end: toStored(compaction.end) };
  return encodeRecord(stored);
}

/** Decodes a compaction, or returns undefined when it is missing or fails its checksum. */
export function decodeCompaction(bytes: Buffer | undefined): Compaction | undefined {
  const stored = decodeRecord(bytes) as Stored | undefined;
  return stored && { ...stored, seam: fromStored(stored.seam), end: fromStored(stored.end) };
}

/**
 * Returns the place of the frame before `block`. That is the seam when the walk crosses the horizon with this
 * block, otherwise `previous`. Returns a text when the compacted part does not end where its record says.
 */
export function across<P extends Position>(
  compaction: Compaction | undefined,
  block: Position | Block,
  previous: P | undefined,
): P | Tail | undefined | string {
  if (compaction === undefined || previous === undefined) return previous;
  const { seam, end } = compaction;
  if (block.timestamp <= seam.timestamp || previous.timestamp > seam.timestamp) return previous;
  const isEnd = previous.timestamp === end.timestamp && previous.sequence === end.sequence;
  return isEnd ? seam : `the compacted part ends at ${previous.timestamp} instead of ${end.timestamp}`;
}

/**
 * How far a walk has come that found no further block. It has reached the horizon when compaction left nothing in
 * between.
 */
export function reached(compaction: Compaction | undefined, previous: Position): number {
  const { seam, end } = compaction ?? {};
  return seam !== undefined && end?.sequence === previous.sequence && end.timestamp === previous.timestamp
    ? seam.timestamp
    : previous.timestamp;
}

/**
 * Returns the blocks up to a horizon without the events that `keep` rejects. Leaves blocks before the first
 * removed event as they are.
 * @param horizon the end of a block that is not the newest
 * @param pause yields to other work; awaited after every `sliceBytes`
 * @throws LogError `damaged` when a frame there is not whole, because only verified data may be rewritten
 */
export async function rewrite(
  store: Pick<BlockStore, "blocks" | "compaction">,
  horizon: number,
  keep: Keep,
  pause: () => Promise<void>,
): Promise<Rewrite> {
  const before = store.compaction();
  const rewriter = new Rewriter(keep);
  let previous: Tail = { ...origin, hash: noHash };
  let slice = 0;
  for (const block of store.blocks(0)) {
    if (block.timestamp > horizon) break;
    const place = across(before, block, previous);
    if (place === undefined || typeof place === "string") throw damaged(block.timestamp, String(place));
    previous = place;
    rewriter.begin(block, previous);
    for (let offset = 0; offset < block.bytes.length;) {
      const frame = nextFrame(block, offset, previous);
      if (typeof frame === "string") throw damaged(previous.timestamp, frame);
      if (!previousHash(block.bytes, frame).equals(previous.hash))
        throw damaged(previous.timestamp, "the hash of the frame before is another");
      const payload = frameEvents(block.bytes, frame);
      if (payload === undefined) throw damaged(frame.timestamp, "the payload is not what the header says");
      const { timestamp, sequence } = frame;
      previous = { timestamp, sequence, hash: frameHash(block.bytes, frame) };
      rewriter.add(block.bytes.subarray(frame.start, frame.end), previous, { timestamp, ...payload });
      offset = frame.end;
      slice += frame.end - frame.start;
      if (slice < sliceBytes) continue;
      slice = 0;
      await pause();
    }
  }
  const seam = horizon === before?.seam.timestamp ? before.seam : previous;
  if (seam.timestamp !== horizon) throw new Error(`no block ends at ${horizon}`);
  const { removed, blocks, end, removedCommits, removedEvents } = rewriter.finish();
  const compaction: Compaction = {
    seam,
    end,
    removedCommits: (before?.removedCommits ?? 0) + removedCommits,
    removedEvents: (before?.removedEvents ?? 0) + removedEvents,
  };
  return { removed, blocks, compaction };
}

/** Builds the new chain. */
class Rewriter {
  readonly #keep: Keep;
  /** Timestamps of the blocks from the first changed one on. */
  #removed: number[] = [];
  readonly #blocks: Block[] = [];
  /** Frames of the block under construction, the timestamp of the first, and their size. */
  #frames: Buffer[] = [];
  #first = 0;
  #bytes = 0;
  #end: Tail = { ...origin, hash: noHash };
  #isUnchanged = true;
  #removedCommits = 0;
  #removedEvents = 0;

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  /**
   * Starts on a block of the old chain.
   * @param previous the end of the old chain before the block
   */
  begin({ timestamp }: Block, { sequence, hash }: Tail): void {
    if (this.#isUnchanged) {
      this.#frames = [];
      this.#bytes = 0;
      this.#removed = [];
      this.#isUnchanged = sequence === this.#end.sequence && Buffer.compare(hash, this.#end.hash) === 0;
    }
    this.#removed.push(timestamp);
  }

  /**
   * Adds what is left of a frame to the new chain.
   * @param bytes the frame as it is
   * @param place the frame's place in the old chain
   */
  add(bytes: Buffer, place: Tail, commit: Commit): void {
    const left = partOf(commit, this.#keep);
    this.#removedEvents += commit.events.length - left.events.length;
    if (left.events.length === 0) {
      this.#isUnchanged = false;
      this.#removedCommits += 1;
    } else if (left === commit && this.#isUnchanged) {
      this.#push(bytes, place);
    } else {
      this.#isUnchanged = false;
      const sequence = this.#end.sequence + 1;
      const frame = encodeFrame(left, sequence, this.#end.hash);
      const hash = frameHash(frame, { start: 0, end: frame.length });
      this.#push(frame, { timestamp: left.timestamp, sequence, hash });
    }
  }

  finish(): Pick<Rewrite, "removed" | "blocks"> & Omit<Compaction, "seam"> {
    if (!this.#isUnchanged) this.#close();
    return {
      removed: this.#isUnchanged ? [] : this.#removed,
      blocks: this.#blocks,
      end: this.#end,
      removedCommits: this.#removedCommits,
      removedEvents: this.#removedEvents,
    };
  }

  #push(frame: Buffer, place: Tail): void {
    if (!this.#isUnchanged && this.#bytes + frame.length > limits.blockBytes) this.#close();
    if (this.#frames.length === 0) this.#first = place.timestamp;
    this.#frames.push(frame);
    this.#bytes += frame.length;
    this.#end = place;
  }

  #close(): void {
    if (this.#frames.length > 0) this.#blocks.push(blockOf(this.#first, Buffer.concat(this.#frames)));
    this.#frames = [];
    this.#bytes = 0;
  }
}

/** Returns what is left of a commit, or the commit itself when nothing is removed. */
function partOf(commit: Commit, keep: Keep): Commit {
  const { timestamp } = commit;
  const events: LoggedEvent[] = [];
  const indexes: number[] = [];
  for (const [place, event] of commit.events.entries()) {
    const index = indexIn(commit, place);
    if (!keep(timestamp, index, event)) continue;
    events.push(event);
    indexes.push(index);
  }
  return events.length === commit.events.length ? commit : { timestamp, events, indexes };
}

function toStored({ timestamp, sequence, hash }: Tail): StoredTail {
  return { timestamp, sequence, hash: Buffer.from(hash).toString("hex") };
}

function fromStored({ timestamp, sequence, hash }: StoredTail): Tail {
  return { timestamp, sequence, hash: Buffer.from(hash, "hex") };
}

function damaged(timestamp: number, problem: string): LogError {
  return new LogError("damaged", `the log is damaged at or after ${timestamp}: ${problem}`);
}
