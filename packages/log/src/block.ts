import { frameAt, type Frame } from "./frame.ts";
import type { LogError, StoreStats } from "./event-log.ts";

/** The unit of storage: the frames of one or more commits, stored under the timestamp of the first. */
export interface Block {
  readonly timestamp: number;
  readonly bytes: Buffer;
  /** A view of the same bytes. */
  readonly view: DataView;
}

export function blockOf(timestamp: number, bytes: Buffer): Block {
  return { timestamp, bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/** Parts of snapshots by key. The value undefined removes a part. */
export type SnapshotParts = ReadonlyMap<string, Buffer | undefined>;

/** The place of a commit in the log. */
export interface Position {
  readonly timestamp: number;
  readonly sequence: number;
}

/** The place before the first commit. */
export const origin: Position = { timestamp: 0, sequence: 0 };

/** The end of a log: the place of its newest commit, and the hash by which the next frame names it. */
export interface Tail extends Position {
  readonly hash: Uint8Array;
}

/** What was lost at the end of a log when it was opened. */
export interface Recovery {
  /** Timestamp (ms) of the newest commit left. */
  readonly timestamp: number;
  /** The newest timestamp (ms) that the lost part is known to have had. Equal to `timestamp` when nothing tells. */
  readonly lostUntil: number;
  /** How many bytes were cut off. */
  readonly bytes: number;
  readonly problem: string;
}

/** The record of the newest compaction of a log. */
export interface Compaction {
  /** The original end of the compacted part; its timestamp (ms) is the horizon. */
  readonly seam: Tail;
  /** The newest frame left up to the horizon, or `origin` when none is left. */
  readonly end: Tail;
  /** How many commits compaction has removed since the log began. */
  readonly removedCommits: number;
  readonly removedEvents: number;
}

/** What one compaction changes in a store. */
export interface Rewrite {
  /** Timestamps of the blocks to remove. */
  readonly removed: readonly number[];
  /** The blocks that replace them, in order. */
  readonly blocks: readonly Block[];
  readonly compaction: Compaction;
}

/**
 * Where a log keeps its bytes. `BlockLog` makes an event log of one. A store knows nothing of commits. Timestamps
 * are in ms, sizes in bytes.
 */
export interface BlockStore {
  readonly readOnly: boolean;

  /**
   * Yields the stored blocks in order, from the last one that begins at or before `timestamp`, else from the
   * first.
   * @throws CompactedError between two blocks when the log was compacted meanwhile
   */
  blocks(timestamp: number): Iterable<Block>;

  /** Returns the newest block, or the newest that begins before `timestamp`. */
  lastBlock(timestamp?: number): Block | undefined;

  /** Returns the newest block of the log's own file. Later moves add blocks and leave this one as it is. */
  lastMoved(): Block | undefined;

  /**
   * Stores a block after all others and resolves when it is on disk. One call at a time.
   * @throws NoRoomError when nothing was written and the next call may succeed; any other error is final
   */
  write(block: Block): Promise<void>;

  /** Resolves when everything written is in the log's own file. Left out by stores that write there directly. */
  move?(): Promise<void>;

  /**
   * Keeps only the first `keep` bytes of the newest block (0 removes it), sets the original block aside, and
   * notes `recovery`, all in one commit. Called only while opening: the flush may block the event loop.
   */
  cut(block: Block, keep: number, recovery: Recovery): void;

  /** What cuts have lost, until `settleRecovery`. */
  readonly recovery: Recovery | undefined;

  /**
   * Forgets what cuts have lost, because the user knows of it.
   * @throws as `write`
   */
  settleRecovery(): Promise<void>;

  readSnapshotPart(key: string): Buffer | undefined;

  /** Returns the keys of parts that begin with `prefix`, in order. The prefix is plain ASCII. */
  snapshotKeys(prefix: string): readonly string[];

  /** Stores parts of snapshots, and removes those given as undefined. Resolves when that is on disk. */
  writeSnapshotParts(parts: SnapshotParts): Promise<void>;

  /** Returns the record of the newest compaction. */
  compaction(): Compaction | undefined;

  /**
   * Carries out a compaction and writes parts of snapshots in one commit: a crash leaves all of it or nothing. It
   * must not remove the newest block of the log's own file.
   * @throws as `write`
   */
  compact(change: Rewrite, parts: SnapshotParts): Promise<void>;

  /** Classifies a failed write. Returns a `LogError` unchanged. */
  writeFailure(cause: unknown): Promise<LogError>;

  stats(): StoreStats;

  /** Releases the files. Called once, when nothing is in flight. */
  close(): Promise<void>;
}

/** A compaction has replaced the blocks that a reader is reading; the reader goes on with the new ones. */
export class CompactedError extends Error {
  override readonly name = "CompactedError";
}

/**
 * Returns the frame at `offset` of a block, or a text that says what is wrong with the frame or its place after
 * `previous`.
 * @param previous the place of the frame before; undefined when that is unknown
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
