import { type Block, blockOf, nextFrame, type Tail } from "../block.ts";
import { frameHash, previousHash } from "../frame.ts";
import { type JournalFile, regionsOf } from "./file.ts";
import { blocksIn, holdsEpoch, type JournalBlock } from "./frame.ts";
import { journalBytes } from "./layout.ts";

/** What a journal holds beyond a log's end. */
export interface Continuation {
  /** In order; each continues the one before. */
  readonly blocks: readonly Block[];
  /** The end of the log with these blocks. */
  readonly end: Tail;
  /** The blocks beyond damaged acknowledged commits, which cannot be reached without these. */
  readonly gap?: Gap;
}

export interface Gap {
  readonly problem: string;
  /** How many whole bytes there are beyond the damage. */
  readonly bytes: number;
}

/** Returns the whole frames of an epoch, of the newest lap and of older ones. Returns none without an epoch. */
export function framesOf(file: JournalFile, epoch: bigint | undefined): JournalBlock[] {
  const frames: JournalBlock[] = [];
  if (epoch === undefined) return frames;
  for (const region of regionsOf(file)) frames.push(...blocksIn(region, epoch));
  return frames;
}

/** What a log expects of its journal. */
export interface Expected {
  readonly epoch: bigint | undefined;
  /** Whether the journal may hold blocks that are not in the log. */
  readonly isAwaited: boolean;
  /** Sequence number of the log's newest commit. */
  readonly sequence: number;
}

/**
 * Returns what is wrong with the journal beside a log. A journal is right when it has frames of the log's epoch.
 * When the log does not await one, any journal will do that has nothing newer.
 * @param file undefined when there is none
 */
export function journalProblem(
  file: JournalFile | undefined,
  { epoch, isAwaited, sequence }: Expected,
): string | undefined {
  if (file === undefined) return isAwaited ? "the journal is gone" : undefined;
  if (!isAwaited) return isAhead(file, epoch, sequence) ? "data.mdb is older than its journal" : undefined;
  if (file.bytes < journalBytes) return `the journal is cut to ${file.bytes} bytes`;
  for (const region of regionsOf(file))
    if (epoch !== undefined && holdsEpoch(region, epoch)) return undefined;
  return "the journal is another log's, or an older one";
}

/** Whether a journal has commits after the log's end that were written for another state of the log. */
function isAhead(file: JournalFile, epoch: bigint | undefined, sequence: number): boolean {
  if (epoch === undefined) return false;
  const own = new Set(framesOf(file, epoch).map(({ last }) => last.sequence));
  for (const region of regionsOf(file))
    for (const { last } of blocksIn(region, undefined))
      if (last.sequence > sequence && !own.has(last.sequence)) return true;
  return false;
}

/**
 * Describes what a log lacks without its journal.
 * @param timestamp of the log's end
 */
export function lostBehind(timestamp: number, problem: string): string {
  return `${problem}: what was acknowledged after ${new Date(timestamp).toISOString()} may be missing`;
}

/**
 * Returns the blocks that continue a log without a gap. A region is overwritten only when all of it is moved, and
 * one frame is in flight at a time. So a whole frame after a gap means that acknowledged data in the gap was
 * damaged.
 * @param found the whole frames of the log's epoch, in any order
 * @param tail the log's end
 */
export function continuation(found: Iterable<JournalBlock>, tail: Tail): Continuation {
  const behind = [...found]
    .filter(({ last }) => last.sequence > tail.sequence)
    .toSorted((one, other) => one.first.sequence - other.first.sequence);
  const blocks: Block[] = [];
  let end = tail;
  for (const [index, whole] of behind.entries()) {
    const block = behindSequence(whole, end.sequence);
    const problem = breakBetween(end, block);
    if (problem !== undefined) {
      const bytes = behind.slice(index).reduce((sum, one) => sum + one.bytes.length, 0);
      return { blocks, end, gap: { problem, bytes } };
    }
    const { timestamp, sequence } = block.last;
    blocks.push(block);
    end = { timestamp, sequence, hash: frameHash(block.bytes, block.last) };
  }
  return { blocks, end };
}

/** Returns the block without the frames up to `sequence`. The log has these already when its damaged end was cut. */
function behindSequence(block: JournalBlock, sequence: number): JournalBlock {
  let frame = block.first;
  while (frame.sequence <= sequence) {
    const next = nextFrame(block, frame.end, frame);
    if (typeof next === "string") return block;
    frame = next;
  }
  if (frame === block.first) return block;
  const { start } = frame;
  const moved = ({ start: from, end, ...rest }: typeof frame) => ({
    ...rest,
    start: from - start,
    end: end - start,
  });
  const bytes = block.bytes.subarray(start);
  return { ...blockOf(frame.timestamp, bytes), first: moved(frame), last: moved(block.last) };
}

function breakBetween(end: Tail, { bytes, first }: JournalBlock): string | undefined {
  if (first.sequence !== end.sequence + 1) {
    return `the journal goes on with sequence number ${first.sequence} behind ${end.sequence}`;
  }
  if (first.timestamp <= end.timestamp || !previousHash(bytes, first).equals(end.hash)) {
    return `the journal's sequence number ${first.sequence} does not follow the log's ${end.sequence}`;
  }
  return undefined;
}
