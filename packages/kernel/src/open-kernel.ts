import type { EventLog, Snapshot } from "@ledge/log";
import type { Command, Decider, DomainEvent, Reaction, States } from "@ledge/model";
import { limits } from "@ledge/model";
import { type Allowance, unbounded } from "./allowance.ts";
import type { Clock, ClockJump } from "./clock.ts";
import { CommitClock } from "./clock.ts";
import type { ReadOnly } from "./commit-loop.ts";
import { CommitLoop } from "./commit-loop.ts";
import { Deciders } from "./decide.ts";
import type { KernelHealth } from "./health.ts";
import type { Foreseen, Kernel, KernelListener, Rehearsal } from "./kernel.ts";
import { load } from "./load.ts";
import { isNoRoom } from "./log-error.ts";
import { Poller } from "./poll.ts";
import type { CategoryRow } from "./projection.ts";
import { Projection } from "./projection.ts";
import type { Entry } from "./recency.ts";
import { viewOf } from "./recency.ts";
import { Stage } from "./rehearsal.ts";
import type { Past, PastParts } from "./retention/past.ts";
import { Retention, type RetentionOptions, type RetentionStatus } from "./retention/retention.ts";
import { snapshotFormat, Snapshots } from "./snapshot.ts";
import type { Outcome, Submission } from "./submission.ts";
import type { Due } from "./timers.ts";
import { Timers } from "./timers.ts";
import type { PollRequest, Viewer } from "./viewer.ts";

export interface KernelOptions<Kinds extends object = States> {
  readonly log: EventLog;
  /** Must include `timer`. */
  readonly aggregates: readonly Decider<Kinds[keyof Kinds], Command, DomainEvent, Kinds>[];
  readonly categories: readonly CategoryRow[];
  readonly reactions: readonly Reaction<Kinds>[];
  /** Type of the event that invalidates all earlier poll cursors. */
  readonly epochEvent: string;
  readonly clock: Clock;
  /** Returns a fresh UUID. */
  readonly newId: () => string;
  /** Whether the time source says that the wall clock is set. */
  readonly timeTrusted: () => boolean;
  /** Called when a decider or reaction threw for a timer or a cascade, where no caller gets the error. */
  readonly onError?: (error: Error) => void;
  /** Called once when the process must end: an event cannot be applied, or a write failed. */
  readonly onFatal: (error: Error) => void;
  /** Yields to other work of the process. */
  readonly pause: () => Promise<void>;
  /** Part of the snapshot's format, so that another release reads the log anew. */
  readonly release: string;
  readonly telemetryWindowMs?: number;
  readonly tombstones?: number;
  readonly snapshotCommits?: number;
  /** How often the wall clock is checked for jumps and trust while nothing is committed (ms). */
  readonly clockCheckMs?: number;
  /** Limits what each origin may add to the log; by default nothing is limited. */
  readonly allowance?: Allowance;
  /** Without it nothing is pruned by age or size, and no bases are written. */
  readonly retention?: RetentionOptions;
  /** Opens the kernel for reading only. With `before`, commits from that timestamp (ms) on are not applied. */
  readonly readOnly?: ReadOnly & { readonly before?: number };
  /** Submits to the process that writes the log, which this one follows; see `openFollower`. */
  readonly follows?: (submission: Submission) => Promise<Outcome>;
  /** The state to show instead of the log's; for reading only. */
  readonly past?: Past;
  /** Called for each commit read while opening, with its timestamp (ms). */
  readonly onRead?: (timestamp: number) => void;
  /** Called for each jump of the clock, also while opening. */
  readonly onClockJump?: (jump: ClockJump) => void;
  /** Called before a snapshot is written. Without room, the snapshot is skipped. */
  readonly hasRoom?: () => Promise<boolean>;
}

/**
 * Reads the log (newest snapshot plus tail) and starts the loop.
 * @throws LogError `damaged`; EvolveError, with its place, when the log holds an event that cannot be applied.
 */
export function openKernel<Kinds extends object = States>(options: KernelOptions<Kinds>): Kernel<Kinds> {
  // Internally kinds are plain names. Only callers care about the types of their states.
  return new OpenKernel(options as unknown as KernelOptions) as unknown as Kernel<Kinds>;
}

/** A kernel of a process that follows a log which another one writes. */
export interface FollowingKernel<Kinds extends object = States> extends Kernel<Kinds> {
  /**
   * Makes visible what another process has written; skips what is visible already.
   * @throws LogError, EvolveError: the process must end
   */
  catchUp(): void;
  /** Writes the log from now on, of which everything is visible. */
  lead(): void;
}

/** Like `openKernel`, over a log that another process writes. */
export function openFollower<Kinds extends object = States>(
  options: KernelOptions<Kinds> & Required<Pick<KernelOptions, "follows">>,
): FollowingKernel<Kinds> {
  return new OpenKernel(options as unknown as KernelOptions) as unknown as FollowingKernel<Kinds>;
}

/** Returns the parts to rebuild the past of a hub. */
export function pastPartsOf(options: HubParts): PastParts {
  return partsOfPast(options, new Deciders(options.aggregates, [], options.newId));
}

type HubParts = Pick<
  KernelOptions,
  "aggregates" | "categories" | "epochEvent" | "newId" | "release" | "tombstones"
>;

function partsOfPast(options: HubParts, deciders: Deciders): PastParts {
  const { aggregates, categories, epochEvent, release, tombstones = limits.tombstones } = options;
  return {
    aggregates,
    deciders,
    newProjection: () => new Projection(aggregates, categories, epochEvent, tombstones),
    format: snapshotFormat(aggregates, release),
  };
}

class OpenKernel implements FollowingKernel {
  readonly log: EventLog;
  readonly #clock: Clock;
  readonly #projection: Projection;
  readonly #poller: Poller;
  readonly #commitClock: CommitClock;
  readonly #timers: Timers;
  readonly #loop: CommitLoop;
  readonly #snapshots: Snapshots;
  #retention: Retention;
  readonly #retaining: (options: RetentionOptions | undefined) => Retention;
  readonly #options: Pick<KernelOptions, "onClockJump" | "retention">;
  readonly #snapshotCommits: number;
  readonly #clockCheckMs: number;
  readonly #deciders: Deciders;
  readonly #hasRoom: () => Promise<boolean>;
  readonly #onError: (error: Error) => void;
  #commitsAtSnapshot = 0;
  #closing: Promise<void> | undefined;
  #cancelCheck: () => void = () => {};

  constructor(options: KernelOptions) {
    const { log, aggregates, reactions, clock, newId, timeTrusted } = options;
    this.log = log;
    this.#clock = clock;
    this.#snapshotCommits = options.snapshotCommits ?? limits.snapshotCommits;
    this.#clockCheckMs = options.clockCheckMs ?? limits.clockCheckMs;
    this.#hasRoom = options.hasRoom ?? (() => Promise.resolve(true));
    this.#onError = options.onError ?? (() => {});
    const { readOnly } = options;
    this.#options = options;
    const isWriter = readOnly === undefined && options.follows === undefined;
    const deciders = new Deciders(aggregates, reactions, newId);
    this.#deciders = deciders;
    const pastParts = partsOfPast(options, deciders);
    const { format } = pastParts;
    const projection = options.past?.projection ?? pastParts.newProjection();
    this.#projection = projection;
    const onRead = options.onRead ?? (() => {});
    const commitsRead =
      options.past === undefined
        ? load(log, format, deciders, projection, { before: readOnly?.before, onRead })
        : 0;
    this.#snapshots = new Snapshots(log, format, projection, aggregates);
    this.#poller = new Poller(projection, options.pause);
    this.#commitClock = new CommitClock(clock, log.last, timeTrusted);
    this.#timers = new Timers(clock, this.#commitClock, (due) => this.#loop.enqueue(due.map(firing)));
    this.#commitClock.onChange = () => this.#timers.clockChanged();
    if (isWriter) this.#commitClock.onJump = options.onClockJump ?? (() => {});
    this.#loop = new CommitLoop({
      log,
      deciders,
      projection,
      clock,
      commitClock: this.#commitClock,
      allowance: options.allowance ?? unbounded,
      readOnly,
      follows: options.follows,
      telemetryWindowMs: options.telemetryWindowMs ?? limits.telemetryWindowMs,
      onTimer: (id, timer) => this.#timers.put(id, timer),
      onPublished: () => this.#afterCommit(),
      onLost: () => this.#timers.refill(),
      onError: this.#onError,
      onFatal: options.onFatal,
    });
    if (isWriter) this.#inheritTimers();
    this.#checkClock();
    const parts = {
      log,
      past: pastParts,
      clock,
      now: () => this.now(),
      clockTrusted: () => this.#commitClock.trusted,
      isServing: () => this.#loop.state === "serving",
      onBroken: (error: Error) => this.#loop.fail(error),
      pause: options.pause,
    };
    // After a start that read much, write a snapshot early, so that the next start reads less.
    this.#commitsAtSnapshot = -commitsRead;
    if (isWriter) this.#snapshotWhenDue();
    this.#retaining = (retention) => new Retention(parts, retention);
    this.#retention = this.#retaining(isWriter ? options.retention : undefined);
    this.#loop.start();
  }

  catchUp(): void {
    for (const commit of this.log.read(this.timestamp)) this.#loop.adopt(commit);
  }

  lead(): void {
    this.catchUp();
    this.#commitClock.raise(this.log.last);
    this.#commitClock.onJump = this.#options.onClockJump ?? (() => {});
    this.#retention = this.#retaining(this.#options.retention);
    this.#inheritTimers();
    this.#loop.lead();
  }

  #inheritTimers(): void {
    this.#timers.inherit([...this.all("timer")].map(([, timer]) => timer));
  }

  get timestamp(): number {
    return this.#projection.timestamp;
  }

  get clockTrusted(): boolean {
    return this.#commitClock.trusted;
  }

  now(): number {
    return Math.floor(this.#commitClock.now());
  }

  get health(): KernelHealth {
    const { state, reason, queued, commits } = this.#loop;
    const { clockTrusted } = this;
    const { quotaExceeded } = this.#retention;
    const shown = this.#closing === undefined ? state : "closed";
    return { state: shown, reason, queued, commits, clockTrusted, quotaExceeded };
  }

  submit(submission: Submission): Promise<Outcome> {
    return this.#loop.submit(submission);
  }

  suspend(reason: string): void {
    this.#loop.suspend(reason);
  }

  resume(): void {
    this.#loop.resume();
  }

  foresee(submission: Submission): Foreseen {
    return this.rehearse().submit(submission);
  }

  rehearse(): Rehearsal {
    return new Stage(this.#deciders, this.#projection, () => this.now());
  }

  get<K extends keyof States>(kind: K, id: string): States[K] | undefined {
    return this.#projection.read.get(kind, id);
  }

  all<K extends keyof States>(kind: K): IterableIterator<[id: string, state: States[K]]> {
    return this.#projection.read.all(kind);
  }

  size(kind: keyof States): number {
    return this.#projection.read.size(kind);
  }

  touch(kind: keyof States, id: string, at: number): void {
    this.#projection.touch(kind, id, at);
  }

  poll(request: PollRequest): Uint8Array | Promise<Uint8Array> {
    return this.#poller.poll(request);
  }

  hasNews(ts: number, viewer: Viewer): boolean {
    return this.#poller.hasNews(ts, viewer);
  }

  dictionary(kind: keyof States, viewer: Viewer, language: string, ids?: Iterable<string>): Uint8Array {
    const category = this.#projection.byKind.get(kind);
    const entries = category && viewOf(category, viewer).entries;
    if (entries === undefined) return this.#poller.dictionary([], viewer, language);
    if (ids === undefined) return this.#poller.dictionary(entries.values(), viewer, language);
    const named = [...new Set(ids)].flatMap((id) => entries.get(id) ?? []);
    return this.#poller.dictionary(named, viewer, language);
  }

  render(kind: keyof States, id: string, viewer: Viewer, language: string): object | undefined {
    const entry = this.#entry(kind, id, viewer);
    return entry?.readableBy(viewer) ? this.#poller.render(entry, language) : undefined;
  }

  readable(kind: keyof States, id: string, viewer: Viewer): boolean {
    return this.#entry(kind, id, viewer)?.readableBy(viewer) ?? false;
  }

  #entry(kind: keyof States, id: string, viewer: Viewer): Entry | undefined {
    const category = this.#projection.byKind.get(kind);
    return category && viewOf(category, viewer).entries.get(id);
  }

  subscribe(listener: KernelListener): () => void {
    return this.#loop.listeners.subscribe(listener);
  }

  raiseTimestamp(floor: number): void {
    this.#commitClock.raise(floor);
  }

  settled(): void {
    this.#timers.settled();
  }

  snapshot(): Snapshot {
    return this.#snapshots.take();
  }

  sync(): Promise<void> {
    this.#commitsAtSnapshot = this.#loop.commits;
    return this.#snapshots.write();
  }

  get retention(): RetentionStatus {
    return this.#retention.status;
  }

  relieve(): Promise<boolean> {
    return this.#retention.relieve();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#timers.stop();
    this.#cancelCheck();
    await this.#loop.drain();
    await this.#retention.stop();
    try {
      if (this.#loop.state === "closed" && !this.#loop.isFollowing && (await this.#hasRoom()))
        await this.#snapshots.write();
      else await this.#snapshots.settled();
    } catch (error) {
      // Acknowledged commits are on disk without a snapshot. The next start only reads more of the log.
      this.#onError(error as Error);
    } finally {
      await this.log.close();
    }
  }

  #afterCommit(): void {
    this.#timers.arm();
    this.#snapshotWhenDue();
  }

  #snapshotWhenDue(): void {
    if (this.#loop.commits - this.#commitsAtSnapshot < this.#snapshotCommits) return;
    this.#commitsAtSnapshot = this.#loop.commits;
    this.#snapshotIfRoom().catch((error: Error) => {
      // Without a snapshot the next start only reads more of the log. Closing writes a snapshot of its own.
      if (!isNoRoom(error) && this.#closing === undefined) this.#loop.fail(error);
    });
  }

  async #snapshotIfRoom(): Promise<void> {
    if (await this.#hasRoom()) await this.sync();
  }

  /** Regains trust in the wall clock and notices its steps, also while no commits are made. */
  #checkClock(): void {
    this.#commitClock.check();
    this.#timers.arm();
    this.#cancelCheck = this.#clock.after(this.#clockCheckMs, () => this.#checkClock());
  }
}

/** Makes one submission for each timer, so that a timer whose reactions throw does not hold up the others. */
function firing({ id, generation, lateMs }: Due): Submission {
  return { commands: [{ type: "FIRE_TIMER", id, generation, lateMs } as Command], origin: "clock" };
}
