import type { EventLog, Snapshot } from "@ledge/log";
import type { Commit, LoggedEvent, Reader, States } from "@ledge/model";
import type { KernelHealth, KernelState } from "./health.ts";
import type { RetentionStatus } from "./retention/retention.ts";
import type { Outcome, Submission } from "./submission.ts";
import type { PollRequest, Viewer } from "./viewer.ts";

/**
 * The kernel's interface to the rest of the process. Reads show only what is durable.
 * @template Kinds kind of aggregate -> its state; by default a hub's
 */
export interface Kernel<Kinds extends object = States> {
  /** Timestamp (ms) of the newest published commit: the cursor of the next poll. */
  readonly timestamp: number;

  /** False while the wall clock is not trusted; timestamps then run on elapsed time. */
  readonly clockTrusted: boolean;

  /** The hub's time (ms since the epoch): the wall clock while it is trusted, otherwise carried on from the log. */
  now(): number;

  /**
   * Decides commands and resolves when their events are durable and visible.
   * @throws KernelError; also passes on an exception that a decider throws. Nothing is applied then.
   */
  submit(submission: Submission): Promise<Outcome>;

  get<K extends keyof Kinds>(kind: K, id: string): Kinds[K] | undefined;
  all<K extends keyof Kinds>(kind: K): IterableIterator<[id: string, state: Kinds[K]]>;
  size(kind: keyof Kinds): number;

  /** Notes when an object was last heard of (ms), without an event. The API serves it as the last-seen time. */
  touch(kind: keyof Kinds, id: string, at: number): void;

  /** Returns a POLL_DELTA (hub-api 2.2) as JSON bytes; a promise when a large full answer is written in slices. */
  poll(request: PollRequest): Uint8Array | Promise<Uint8Array>;

  /** Returns whether a poll with the cursor `ts` would answer with more than a timestamp. */
  hasNews(ts: number, viewer: Viewer): boolean;

  /**
   * Returns `{"<id>": object, ...}` as JSON bytes: the objects of a kind, or those of `ids`, that the viewer may
   * read.
   */
  dictionary(kind: keyof Kinds, viewer: Viewer, language: string, ids?: Iterable<string>): Uint8Array;

  /** Returns the object as the API serves it, or undefined when there is none that the viewer may read. */
  render(kind: keyof Kinds, id: string, viewer: Viewer, language: string): object | undefined;

  readable(kind: keyof Kinds, id: string, viewer: Viewer): boolean;

  /** The log itself, for reading history. Only the kernel appends to it. */
  readonly log: EventLog;

  /**
   * Subscribes a listener, which must not throw. Listeners are called in order of subscription. Returns a
   * function that unsubscribes.
   */
  subscribe(listener: KernelListener): () => void;

  readonly health: KernelHealth;

  /** Refuses new submissions, with a reason, until `resume`. The accepted ones still become durable. */
  suspend(reason: string): void;

  /** Accepts submissions again, because the disk has room. Ends the process when the full disk has broken the log. */
  resume(): void;

  /** Returns what a submission would lead to now. Applies, logs and announces nothing. */
  foresee(submission: Submission): Foreseen;

  /**
   * Like `foresee`, for a sequence of submissions. Each sees the effects of those before it, over the published
   * states at that time.
   */
  rehearse(): Rehearsal<Kinds>;

  /** Raises every later timestamp above `floor` (ms), as after a restore of an older log. */
  raiseTimestamp(floor: number): void;

  /** Tells the kernel that the radios have reported again after a start. Timers that wait for that may fire now. */
  settled(): void;

  /** What the log keeps, and its bounds. */
  readonly retention: RetentionStatus;

  /**
   * Prunes telemetry, oldest first and in slices, until the log can go on for a while on a full disk.
   * @returns whether it can; false when everything left is kept for ever
   * @throws LogError as the log's `compact`
   */
  relieve(): Promise<boolean>;

  /** Returns the projections as of `timestamp`. Later changes do not affect the rows, however long reading takes. */
  snapshot(): Snapshot;

  /** Writes a snapshot now; resolves when it is on disk. */
  sync(): Promise<void>;

  /** Finishes the queued submissions, writes a snapshot and closes the log. */
  close(): Promise<void>;
}

/** What a submission would lead to: its answer and its events, which have not happened. */
export interface Foreseen {
  readonly outcome: Outcome;
  readonly events: readonly LoggedEvent[];
}

/** A sequence of trial submissions. Reads show the states that these would have led to. */
export interface Rehearsal<Kinds extends object = States> extends Reader<Kinds> {
  submit(submission: Submission): Foreseen;
}

export interface KernelListener {
  /**
   * Called when events were decided but are not yet on disk, so they may still be lost. They begin at index
   * `firstIndex` of the commit at `timestamp`.
   * @param relayed as in the submission.
   */
  decided?(timestamp: number, firstIndex: number, events: readonly LoggedEvent[], relayed: boolean): void;
  /** Called when the commit is durable and visible. */
  published?(commit: Commit): void;
  /** Called when events announced by `decided` were lost. */
  failed?(events: readonly LoggedEvent[]): void;
  /** Called when the kernel starts or stops serving. */
  stateChanged?(state: KernelState): void;
}
