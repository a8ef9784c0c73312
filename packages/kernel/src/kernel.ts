import type { EventLog, Snapshot } from "@ledge/log";
import type { Commit, LoggedEvent, Reader, States } from "@ledge/model";
import type { RetentionStatus } from "./retention/retention.ts";
import type { Outcome, Submission } from "./submission.ts";
import type { PollRequest, Viewer } from "./viewer.ts";

/**
 * What the rest of the process sees of the kernel. Reads show only what is durable.
 * @template Kinds kind of aggregate -> its state: a hub's unless said otherwise
 */
export interface Kernel<Kinds extends object = States> {
  /** Timestamp (ms) of the newest published commit: the cursor of the next poll. */
  readonly timestamp: number;

  /** False while the wall clock is not believed; timestamps then run on elapsed time. */
  readonly clockTrusted: boolean;

  /** The hub's time (ms since the epoch): the wall clock while that is believed, else carried on from the log. */
  now(): number;

  /**
   * Decides commands and resolves when their events are durable and visible.
   * @throws KernelError; an exception thrown by a decider itself is passed on, and nothing is applied.
   */
  submit(submission: Submission): Promise<Outcome>;

  get<K extends keyof Kinds>(kind: K, id: string): Kinds[K] | undefined;
  all<K extends keyof Kinds>(kind: K): IterableIterator<[id: string, state: Kinds[K]]>;
  size(kind: keyof Kinds): number;

  /** Notes that an object was heard of, without an event: what is served as its last-seen time (ms). */
  touch(kind: keyof Kinds, id: string, at: number): void;

  /** POLL_DELTA (hub-api 2.2) as JSON bytes; a promise when a large full answer is written in slices. */
  poll(request: PollRequest): Uint8Array | Promise<Uint8Array>;

  /** `{"<id>": object, ...}` as JSON bytes: all objects of a kind that the viewer may read, or those of `ids`. */
  dictionary(kind: keyof Kinds, viewer: Viewer, language: string, ids?: Iterable<string>): Uint8Array;

  /** The object as the API serves it, or undefined when there is none that the viewer may read. */
  render(kind: keyof Kinds, id: string, viewer: Viewer, language: string): object | undefined;

  readable(kind: keyof Kinds, id: string, viewer: Viewer): boolean;

  /** The log itself, for reading history. Only the kernel appends. */
  readonly log: EventLog;

  /** Listeners are called in order of subscription and must not throw. Returns the end of the subscription. */
  subscribe(listener: KernelListener): () => void;

  readonly health: KernelHealth;

  /** Takes no more submissions, for a reason, until `resume`; those that were taken still become durable. */
  suspend(reason: string): void;

  /** There is room again: serves, or ends the process when the log was broken by the full disk. */
  resume(): void;

  /** What a submission would come to now. Nothing is applied, logged, or told to listeners. */
  foresee(submission: Submission): Foreseen;

  /** As `foresee`, for submissions that follow from each other. It reads what is published, as that is by then. */
  rehearse(): Rehearsal<Kinds>;

  /** Makes every later timestamp be above `floor` (ms), as after a restore of an older log. */
  raiseTimestamp(floor: number): void;

  /** The radios have reported again after a start: timers that wait for that may fire now. */
  settled(): void;

  /** How much the log keeps, and how much it may. */
  readonly retention: RetentionStatus;

  /**
   * Prunes telemetry, the oldest first, until the log can go on for a while on a disk that is full; work in slices.
   * @returns whether it can; false when all that is left is kept for ever
   * @throws LogError as the log's `compact`
   */
  relieve(): Promise<boolean>;

  /** The projections as of `timestamp`: rows may be read for as long as it takes, changes do not reach them. */
  snapshot(): Snapshot;

  /** Writes a snapshot now; resolves when it is on disk. */
  sync(): Promise<void>;

  /** Finishes what is queued, writes a snapshot, closes the log. */
  close(): Promise<void>;
}

/** What a submission would come to: its answer, and its events, which did not happen. */
export interface Foreseen {
  readonly outcome: Outcome;
  readonly events: readonly LoggedEvent[];
}

/** Submissions tried one after the other; the states are those that they would have come to. */
export interface Rehearsal<Kinds extends object = States> extends Reader<Kinds> {
  submit(submission: Submission): Foreseen;
}

export interface KernelListener {
  /**
   * Events were decided and are on their way to the disk: what they say may still come to nothing. They stand
   * at `firstIndex` and on in the commit at `timestamp`.
   * @param relayed as the submission said.
   */
  decided?(timestamp: number, firstIndex: number, events: readonly LoggedEvent[], relayed: boolean): void;
  /** The commit is durable and visible. */
  published?(commit: Commit): void;
  /** Events that `decided` told of came to nothing. */
  failed?(events: readonly LoggedEvent[]): void;
  /** The kernel serves again, or no longer. */
  stateChanged?(state: KernelState): void;
}

/**
 * - `read-only`: the disk is full; `serving` again when there is room.
 * - `safe-mode`: an event in the log cannot be applied; the state is the one before it.
 * - `rescue`: the log cannot be opened; the state is what could be read.
 * - `failed`: a write has failed, the process must end.
 */
export type KernelState = "serving" | "read-only" | "safe-mode" | "rescue" | "failed" | "closed";

export interface KernelHealth {
  readonly state: KernelState;
  /** Why it is not serving. */
  readonly reason: string | null;
  /** Submissions not answered yet. */
  readonly queued: number;
  readonly commits: number;
  /** False while the wall clock is not believed; timestamps then run on elapsed time. */
  readonly clockTrusted: boolean;
  /** True while the log takes more room than it may. */
  readonly quotaExceeded: boolean;
}
