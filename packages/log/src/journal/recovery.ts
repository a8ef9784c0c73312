import { type Block, blockOf, nextFrame } from "../block.ts";
import { frameHash, previousHash } from "../frame.ts";
import type { Tail } from "../tail.ts";
import { type JournalFile, regionsOf } from "./file.ts";
import { blocksIn, holdsEpoch, type JournalBlock } from "./frame.ts";
import { journalBytes } from "./layout.ts";

/** What a journal holds behind a log's end. */
export interface Continuation {
  /** In order, each the continuation of the one before. */
  readonly blocks: readonly Block[];
  /** Where the log ends with them. */
  readonly end: Tail;
  /** What lies behind acknowledged commits that are damaged, and cannot be reached without them. */
  readonly gap?: Gap;
}

export interface Gap {
  readonly problem: string;
  /** Size of what is whole behind it. */
  readonly bytes: number;
}

/** The whole frames of an epoch, of the newest lap and of older ones; none when there is no epoch. */
export function framesOf(file: JournalFile, epoch: bigint | undefined): JournalBlock[] {
  const frames: JournalBlock[] = [];
  if (epoch === undefined) return frames;
  for (const region of regionsOf(file)) frames.push(...blocksIn(region, epoch));
  return frames;
}

/** What a log says of its journal. */
export interface Expected {
  readonly epoch: bigint | undefined;
  /** Whether the journal may hold what is not in the log. */
  readonly isAwaited: boolean;
  /** Number of the log's newest commit. */
  readonly sequence: number;
}

/**
 * What is wrong with the journal beside a log; undefined for one that has frames of the log's epoch, or that the log does
 * not await and that knows of nothing newer.
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

/** Whether a journal has commits behind a log's end that were written for another state of the log. */
function isAhead(file: JournalFile, epoch: bigint | undefined, sequence: number): boolean {
  if (epoch === undefined) return false;
  const own = new Set(framesOf(file, epoch).map(({ last }) => last.sequence));
  for (const region of regionsOf(file))
    for (const { last } of blocksIn(region, undefined))
      if (last.sequence > sequence && !own.has(last.sequence)) return true;
  return false;
}

/** What a log lacks without its journal. @param timestamp of the log's end */
export function lostBehind(timestamp: number, problem: string): string {
  return `${problem}: what was acknowledged after ${new Date(timestamp).toISOString()} may be missing`;
}

/**
 * What continues a log without a gap. A region is written again only when all of it is moved, and one frame is
 * in flight at a time: so a whole frame behind a gap means that acknowledged data in the gap was damaged.
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

/** The block without the frames up to `sequence`: they are in the log when a damaged end of it was cut. */
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
