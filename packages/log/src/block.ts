import { frameAt, type Frame } from "./frame.ts";
import type { Compaction, Rewrite } from "./compaction.ts";
import type { LogError, StoreStats } from "./event-log.ts";
import type { Recovery } from "./tail.ts";

/** What is stored at once: one commit's frame or several, under the timestamp of the first. */
export interface Block {
  readonly timestamp: number;
  readonly bytes: Buffer;
  /** The same bytes. */
  readonly view: DataView;
}

export function blockOf(timestamp: number, bytes: Buffer): Block {
  return { timestamp, bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/** Parts of snapshots by their keys; undefined removes one. */
export type SnapshotParts = ReadonlyMap<string, Buffer | undefined>;

/** Where a commit stands in the log. */
export interface Position {
  readonly timestamp: number;
  readonly sequence: number;
}

/** What stands before the first commit. */
export const origin: Position = { timestamp: 0, sequence: 0 };

/**
 * Where a log keeps its bytes. `BlockLog` makes an event log of one; a store knows nothing of commits.
 * Timestamps are in ms, sizes in bytes.
 */
export interface BlockStore {
  readonly readOnly: boolean;

  /**
   * The stored blocks in order, from the last one that begins at or before `timestamp`, else from the first.
   * @throws CompactedError between two of them when the log was compacted meanwhile
   */
  blocks(timestamp: number): Iterable<Block>;

  /** The newest block, or the newest that begins before `timestamp`. */
  lastBlock(timestamp?: number): Block | undefined;

  /** The newest block of the log's own file, which stays a block of its own. */
  lastMoved(): Block | undefined;

  /**
   * Stores a block behind all others; resolves when it is on disk. One call at a time.
   * @throws NoRoomError when nothing was written and the next call may succeed; any other error is final
   */
  write(block: Block): Promise<void>;

  /** Resolves when all that was written stands in the log's own file; left out where it always does. */
  move?(): Promise<void>;

  /**
   * Keeps only the first `keep` bytes of the newest block, none of it when 0, sets the whole block aside, and notes
   * `recovery`, in one commit. Only while opening: it may hold the event loop for the flush.
   */
  cut(block: Block, keep: number, recovery: Recovery): void;

  /** What cuts have lost, until that is settled. */
  readonly recovery: Recovery | undefined;

  /**
   * What cuts have lost needs no telling any more.
   * @throws as `write`
   */
  settleRecovery(): Promise<void>;

  readSnapshotPart(key: string): Buffer | undefined;

  /** The keys of parts that begin with `prefix`, in order; plain ASCII. */
  snapshotKeys(prefix: string): readonly string[];

  /** Stores parts of snapshots under their keys, and removes those given as undefined; resolves when that is on disk. */
  writeSnapshotParts(parts: SnapshotParts): Promise<void>;

  /** How the log was compacted last. */
  compaction(): Compaction | undefined;

  /**
   * Carries out a compaction, together with parts of snapshots, in one commit: what a crash leaves is all of it or
   * nothing. No block that goes may be the newest of the log's own file.
   * @throws as `write`
   */
  compact(change: Rewrite, parts: SnapshotParts): Promise<void>;

  /** What a failed write means; an error of the log stays as it is. */
  writeFailure(cause: unknown): Promise<LogError>;

  stats(): StoreStats;

  /** Called once, when nothing is in flight. */
  close(): Promise<void>;
}

/** The blocks that are being read are no longer those of the log: reading goes on with the new ones. */
export class CompactedError extends Error {
  override readonly name = "CompactedError";
}

/**
 * The frame at `offset` of a block, or what is wrong: with itself or with its place behind `previous`.
 * @param previous where the frame before stands; undefined when that is not known
 */
export function nextFrame(block: Block, offset: number, previous: Position | undefined): Frame | string {
  const frame = frameAt(block.view, offset);
  if (typeof frame === "string") return frame;
  if (offset === 0 && frame.timestamp !== block.timestamp) {
    return `stored under ${block.timestamp} instead of ${frame.timestamp}`;
  }
  if (previous === undefined) return frame;
  if (frame.sequence !== previous.sequence + 1) {
    return `sequence number ${frame.sequence} follows ${previous.sequence}`;
  }
  if (frame.timestamp <= previous.timestamp) {
    return `timestamp ${frame.timestamp} follows ${previous.timestamp}`;
  }
  return frame;
}
