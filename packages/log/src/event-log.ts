import type { Commit, LoggedEvent } from "@ledge/model";

/**
 * The append-only event log: the only truth of a hub. One writer, commits in strictly rising order of
 * timestamp. Implementations: `openLmdbLog` (durable) and `memoryLog` (its twin for tests); one contract
 * suite runs against both.
 */
export interface EventLog {
  /** Timestamp (ms) of the newest durable commit, 0 when the log is empty. */
  readonly last: number;

  /**
   * Appends one commit and resolves when it is on disk. Calls may overlap; they become durable in call
   * order, and a failed one fails every later one.
   * @throws LogError `order` when the timestamp is not above every earlier one (nothing is written),
   *   `too-large` when the frame is over `limits.commitBytes` (nothing is written), `full` when the disk is
   *   full, `failed` on any other write error. After `failed` the log takes no more commits, after `full` it
   *   may when there is room: a `NoRoomError` says that nothing of the commit was written.
   */
  append(commit: Commit): Promise<void>;

  /**
   * The durable commits with `after < timestamp <= until`, oldest first, read block by block and brought
   * up to date by the upcasters. Safe while appends go on: it sees what was durable when it began.
   * @param wants commits of which it says no may be passed over: they are checked, and not parsed
   * @throws LogError `damaged` at a frame whose checksum, order or sequence is wrong, `failed` when a write has
   *   failed and what was stored can be read by the next process only.
   */
  read(after?: number, until?: number, wants?: Wants): IterableIterator<Commit>;

  /** As `read`, but what the log's `Sealing` hides stays hidden. */
  readSealed(after?: number, until?: number): IterableIterator<Commit>;

  /**
   * Up to this timestamp (ms) compaction has taken events away, and commits of which nothing was left: what is
   * read there says what still matters, not all that happened. 0 while the log is whole.
   */
  readonly horizon: number;

  /**
   * Walks every frame and checks checksum, sequence and hash chain. Never throws for damage: it reports it.
   * @param onWalked told now and then up to where (ms) the walk has come
   */
  verify(onWalked?: (timestamp: number) => void): Verification;

  /**
   * Replaces the stored snapshot once the new one is wholly on disk; yields to the event loop between chunks.
   * @param snapshot rows are any JSON values; `timestamp` must not be above `last`.
   */
  saveSnapshot(snapshot: Snapshot): Promise<void>;

  /**
   * The newest whole snapshot of this `format`, or undefined: none stored, another format, below the horizon, or
   * damaged (then the caller replays the log). Rows are yielded lazily after their checksums were verified.
   */
  loadSnapshot(format: string): Snapshot | undefined;

  /**
   * Stores a base: a snapshot that stays, beside those at other timestamps, until the horizon passes it. Bases of
   * other formats go. As `saveSnapshot` otherwise.
   * @throws LogError `order` too when its timestamp is below the horizon
   */
  saveBase(base: Snapshot): Promise<void>;

  /** The bases that are stored, oldest first, of whatever format; their rows are not checked. */
  bases(): readonly Base[];

  /** The newest whole base of a format at or before `until`, or undefined. As `loadSnapshot` otherwise. */
  loadBase(format: string, until?: number): Snapshot | undefined;

  /**
   * How far the log can be compacted next: the newest end of a stored block at or before `until` that is not
   * farther than `bytes` of frames from the horizon, or the first; the horizon when there is none.
   * @param pause gives way to other work; awaited after some ten KB
   * @throws LogError as `append`
   */
  boundary(until: number, bytes: number, pause: () => Promise<void>): Promise<number>;

  /**
   * Takes events out of the log up to a timestamp that `boundary` gave, and commits of which nothing is left; the
   * others keep their indexes. One commit to the disk: a crash leaves all of it or nothing. Appends and reads go on.
   * Bases below the new horizon go.
   * @throws LogError `order` when the log cannot be compacted there, `damaged` when what is there is not whole
   *   (nothing is changed), else as `append`; what `pause` rejects with, and nothing is changed then
   */
  compact(options: CompactOptions): Promise<Compacted>;

  /** Figures for metrics: sizes in bytes, counts since the log was opened. */
  stats(): LogStats;

  /** Waits for appends in flight, then releases the files. Idempotent. */
  close(): Promise<void>;
}

/**
 * Whether a commit is worth parsing.
 * @param bytes where its events stand from `start` to `end`, as the log has them: a JSON array in UTF-8. Good until it
 *   returns
 * @param count how many those are
 */
export type Wants = (bytes: Buffer, start: number, end: number, count: number) => boolean;

/** A projection as of `timestamp`; `format` names the shape of its rows, so that another version's is not read. */
export interface Snapshot {
  readonly timestamp: number;
  readonly format: string;
  readonly rows: Iterable<unknown>;
}

export interface CompactOptions {
  readonly horizon: number;
  /** Whether an event stays: as it was logged, no upcaster applied. Asked about all up to the horizon. */
  readonly keep: (timestamp: number, index: number, event: LoggedEvent) => boolean;
  /**
   * Asked when all that stays is gathered, right before it is written; false when `keep` says more by now, and all is
   * gathered anew.
   */
  readonly isCurrent?: () => boolean;
  /** Of the horizon. */
  readonly base: Snapshot;
  /** Gives way to other work; awaited after some ten KB. */
  readonly pause: () => Promise<void>;
}

/** What a compaction has taken. */
export interface Compacted {
  readonly removedCommits: number;
  readonly removedEvents: number;
}

/** A base that is stored; its size in bytes. */
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
  /** How much of the log's own file is in use: what compaction can free, and a new block takes. */
  readonly usedBytes: number;
  /** How much the log's own file takes before it has to grow. */
  readonly spareBytes: number;
  /** How commits reach the disk first: `buffered` where the file system refuses direct access. */
  readonly journalMode: "direct" | "buffered" | "none";
  /** Frames that stand in the journal only. */
  readonly journalFrames: number;
  /** Commits by which frames were moved from the journal into the log. */
  readonly moves: number;
  /** Appends that waited because the journal was full. */
  readonly stalls: number;
  /** Frames written to the journal, each with a flush of its own. */
  readonly flushes: number;
}

/** The part of `LogStats` that a store knows. */
export type StoreStats = Omit<LogStats, "commits" | "events" | "frameBytes">;

/** What a store without a journal says of one. */
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
  /** Where the log is wrong, oldest first; empty when it is whole. */
  readonly damage: readonly { readonly timestamp: number; readonly problem: string }[];
}

export type LogErrorCode = "order" | "too-large" | "full" | "failed" | "damaged" | "closed" | "locked";

/** Every error that the log raises by itself; `cause` holds the one below it. */
export class LogError extends Error {
  override readonly name = "LogError";
  readonly code: LogErrorCode;
  constructor(code: LogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Whether the log takes no more commits after this error, whatever happens to the disk. */
  get isFinal(): boolean {
    return this.code === "full" || this.code === "failed";
  }
}

/** The disk is full and nothing was written: the same may succeed when there is room. */
export class NoRoomError extends LogError {
  constructor(message: string, options?: ErrorOptions) {
    super("full", message, options);
  }

  override get isFinal(): boolean {
    return false;
  }
}
