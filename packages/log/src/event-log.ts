import type { Commit, LoggedEvent } from "@ledge/model";

/**
 * The append-only event log: the only truth of a hub. It has one writer, and commits in strictly rising order of
 * timestamp. Implementations are `openLmdbLog` (durable) and `memoryLog` (its twin for tests). Both pass the same
 * contract suite.
 */
export interface EventLog {
  /** Timestamp (ms) of the newest durable commit, 0 when the log is empty. */
  readonly last: number;

  /**
   * Appends one commit and resolves when it is on disk. Calls may overlap. They become durable in call order, and
   * a failed one fails every later one.
   * @throws LogError `order` when the timestamp is not above every earlier one (nothing is written), `too-large`
   *   when the frame is over `limits.commitBytes` (nothing is written), `full` when the disk is full, `failed` on
   *   any other write error. After `failed` the log takes no more commits. After `full` it takes commits again
   *   only if the error was a `NoRoomError`, which means that nothing of the commit was written.
   */
  append(commit: Commit): Promise<void>;

  /**
   * Yields the durable commits with `after < timestamp <= until`, oldest first, read block by block and upcast.
   * Safe during appends: it yields what was durable when it began.
   * @param wants may reject commits that the caller does not need; `read` may skip these: it checks them without
   *   parsing them
   * @throws LogError `damaged` at a frame whose checksum, order or sequence is wrong, `failed` when a write has
   *   failed and only the next process can read what was stored
   */
  read(after?: number, until?: number, wants?: Wants): IterableIterator<Commit>;

  /**
   * Follows the log: yields the durable commits with a timestamp above `after`, oldest first, like `read`, and then
   * each commit as it becomes durable. A slow follower misses nothing: it reads from the log what no longer fits into
   * its buffer of `limits.followedEvents`. Only appends of this process reach followers.
   * @param signal ends it, as does `close`
   * @throws LogError as `read`
   */
  follow(after: number, signal: AbortSignal): AsyncIterableIterator<Commit>;

  /** Like `read`, but leaves sealed fields sealed. */
  readSealed(after?: number, until?: number): IterableIterator<Commit>;

  /**
   * The timestamp (ms) up to which the log was compacted: commits up to there lack the events that no longer
   * matter. 0 when the log was never compacted.
   */
  readonly horizon: number;

  /**
   * Walks every frame and checks checksum, sequence and hash chain. Reports damage and never throws for it.
   * @param onWalked called now and then with the timestamp (ms) that the walk has reached
   */
  verify(onWalked?: (timestamp: number) => void): Verification;

  /**
   * Replaces the stored snapshot once the new one is wholly on disk; yields to the event loop between chunks.
   * @param snapshot rows are any JSON values; `timestamp` must not be above `last`.
   */
  saveSnapshot(snapshot: Snapshot): Promise<void>;

  /**
   * Returns the newest whole snapshot of this `format`. Returns undefined when none is stored, or when it has
   * another format, lies below the horizon or is damaged; the caller then replays the log. The rows are read
   * lazily, after their checksums were verified.
   */
  loadSnapshot(format: string): Snapshot | undefined;

  /**
   * Stores a base: a snapshot that stays, beside those of other timestamps, until the horizon passes it. Removes
   * bases of other formats. Otherwise like `saveSnapshot`.
   * @throws LogError `order` also when its timestamp is below the horizon
   */
  saveBase(base: Snapshot): Promise<void>;

  /** Returns the stored bases of every format, oldest first, without checking their rows. */
  bases(): readonly Base[];

  /** Returns the newest whole base of a format at or before `until`, or undefined. Otherwise like `loadSnapshot`. */
  loadBase(format: string, until?: number): Snapshot | undefined;

  /**
   * Returns how far the log can be compacted next: the newest end of a stored block that is at or before `until`
   * and at most `bytes` of frames above the horizon. When the first block is larger, returns its end. Returns the
   * horizon when no block qualifies.
   * @param pause yields to other work; awaited after some ten KB
   * @throws LogError as `append`
   */
  boundary(until: number, bytes: number, pause: () => Promise<void>): Promise<number>;

  /**
   * Removes events up to a timestamp that `boundary` returned, commits that this leaves empty, and bases below
   * the new horizon. Events that stay keep their indexes. It is one commit to the disk: a crash leaves all of it
   * or nothing. Appends and reads go on.
   * @throws LogError `order` when the log cannot be compacted there, `damaged` when a frame there is not whole,
   *   otherwise as `append`; also what `pause` rejects with. After `damaged` or a rejected `pause` nothing is
   *   changed
   */
  compact(options: CompactOptions): Promise<Compacted>;

  /** Figures for metrics: sizes in bytes, counts since the log was opened. */
  stats(): LogStats;

  /** Waits for appends in flight, then releases the files. Idempotent. */
  close(): Promise<void>;
}

/**
 * Whether a commit is worth parsing.
 * @param bytes holds the commit's stored events from `start` to `end`, a JSON array in UTF-8; valid until the
 *   call returns
 * @param count the number of events
 * @param view the same bytes, to read several at once
 */
export type Wants = (bytes: Buffer, start: number, end: number, count: number, view: DataView) => boolean;

/** A projection as of `timestamp`. `format` names the shape of its rows, so that no version reads another's rows. */
export interface Snapshot {
  readonly timestamp: number;
  readonly format: string;
  readonly rows: Iterable<unknown>;
}

export interface CompactOptions {
  readonly horizon: number;
  /** Whether an event stays. Called for every event up to the horizon, as logged, before any upcaster. */
  readonly keep: (timestamp: number, index: number, event: LoggedEvent) => boolean;
  /**
   * Called when everything that stays is collected, right before the write. Returns false when `keep` would now
   * keep more events; `compact` then collects them again.
   */
  readonly isCurrent?: () => boolean;
  /** A snapshot as of the horizon. */
  readonly base: Snapshot;
  /** Yields to other work; awaited after some ten KB. */
  readonly pause: () => Promise<void>;
}

/** How much a compaction has removed. */
export interface Compacted {
  readonly removedCommits: number;
  readonly removedEvents: number;
}

/** A stored base, with its size in bytes. */
export interface Base {
  readonly timestamp: number;
  readonly format: string;
  readonly bytes: number;
}

export interface LogStats {
  readonly commits: number;
  readonly events: number;
  /** Bytes of frames appended since the log was opened. */
  readonly frameBytes: number;
  /** Size of the log's files on disk. */
  readonly fileBytes: number;
  /** How many bytes of the log's own file are in use. Compaction frees some of them, new blocks take more. */
  readonly usedBytes: number;
  /** How many bytes the log's own file takes before it has to grow. */
  readonly spareBytes: number;
  /** How commits reach the disk first. `buffered` where the file system refuses direct access. */
  readonly journalMode: "direct" | "buffered" | "none";
  /** Frames that are only in the journal. */
  readonly journalFrames: number;
  /** Commits that moved frames from the journal into the log. */
  readonly moves: number;
  /** Appends that waited because the journal was full. */
  readonly stalls: number;
  /** Frames written to the journal, each with a flush of its own. */
  readonly flushes: number;
}

/** The part of `LogStats` that a store supplies. */
export type StoreStats = Omit<LogStats, "commits" | "events" | "frameBytes">;

/** The journal's figures in a store without a journal. */
export const noJournal = {
  journalMode: "none",
  journalFrames: 0,
  moves: 0,
  stalls: 0,
  flushes: 0,
} as const;

export interface Verification {
  readonly commits: number;
  readonly events: number;
  readonly first: number;
  readonly last: number;
  /** The damaged places, oldest first. Empty when the log is whole. */
  readonly damage: readonly { readonly timestamp: number; readonly problem: string }[];
}

export type LogErrorCode = "order" | "too-large" | "full" | "failed" | "damaged" | "closed" | "locked";

/** Every error that the log itself raises. `cause` holds the underlying error. */
export class LogError extends Error {
  override readonly name = "LogError";
  readonly code: LogErrorCode;
  constructor(code: LogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Whether the log takes no more commits after this error, even if the disk recovers. */
  get isFinal(): boolean {
    return this.code === "full" || this.code === "failed";
  }
}

/** The disk is full and nothing was written. The same call may succeed when there is room again. */
export class NoRoomError extends LogError {
  constructor(message: string, options?: ErrorOptions) {
    super("full", message, options);
  }

  override get isFinal(): boolean {
    return false;
  }
}
