import type { EventLog } from "@ledge/log";
import type { Cascade, Command, Commit, LoggedEvent, Timer } from "@ledge/model";
import { continuationsOf, limits } from "@ledge/model";
import type { Allowance } from "./allowance.ts";
import type { Batch, Queued } from "./batch.ts";
import { emptyBatch, outcomeOf } from "./batch.ts";
import type { Clock, CommitClock } from "./clock.ts";
import type { Decided, Deciders } from "./decide.ts";
import { EvolveError } from "./decide.ts";
import { Fifo } from "./fifo.ts";
import type { KernelState } from "./health.ts";
import { Listeners } from "./listeners.ts";
import { codeOf, isFinal } from "./log-error.ts";
import { Overlay } from "./layer.ts";
import type { Projection } from "./projection.ts";
import type { Outcome, Submission } from "./submission.ts";
import { KernelError, refusalOf } from "./submission.ts";

/** Why a kernel is read-only for its whole life. */
export interface ReadOnly {
  readonly state: "safe-mode" | "rescue";
  readonly reason: string;
}

/** The parts that the loop works with. */
export interface LoopParts {
  readonly log: EventLog;
  readonly deciders: Deciders;
  readonly projection: Projection;
  readonly clock: Clock;
  readonly commitClock: CommitClock;
  readonly allowance: Allowance;
  /** Set when the kernel is read-only from the start and for good. */
  readonly readOnly: ReadOnly | undefined;
  /** Submits to the process that writes the log; absent when that is this one. */
  readonly follows?: ((submission: Submission) => Promise<Outcome>) | undefined;
  /** How long (ms) quiet telemetry waits for further events. */
  readonly telemetryWindowMs: number;
  /** Called when a timer was set or removed. `onPublished` follows. */
  readonly onTimer: (id: string, timer: Timer | undefined) => void;
  readonly onPublished: () => void;
  /** Called when decided events were lost. State derived from them in memory must be computed again. */
  readonly onLost: () => void;
  /** Called when a decider or reaction threw in a submission that no caller awaits. */
  readonly onError: (error: Error) => void;
  /** Called when the process must end. */
  readonly onFatal: (error: Error) => void;
}

/**
 * Decides submissions in order into the open batch, writes one batch after the other to disk, and publishes it
 * then. One commit is in flight; submissions that arrive meanwhile form the next.
 */
export class CommitLoop {
  readonly #parts: LoopParts;
  readonly listeners = new Listeners();
  #state: KernelState;
  /** Whether another process writes the log. */
  #isFollowing: boolean;
  #reason: string | null;
  /** The full disk that broke the log. There may be room again, but this process cannot write any more. */
  #broken: Error | undefined;
  #commits = 0;
  /** Submissions that are not yet decided, because the open batch is full or the timestamps are too far ahead. */
  readonly #queue = new Fifo<Queued>();
  /** Ids of cascades in the published states that no batch carries on yet. They take precedence over the queue. */
  readonly #carried = new Fifo<string>();
  #open: Batch | undefined;
  #inFlight: Batch | undefined;
  #deciding = false;
  #pumpPlanned = false;
  #cancelWindow: () => void = () => {};
  #cancelClockWait: (() => void) | undefined;
  #onIdle: (() => void) | undefined;
  /** Handles the outcome of submissions that no caller awaits. */
  readonly #unheard: Pick<Queued, "resolve" | "reject">;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#isFollowing = parts.follows !== undefined;
    this.#state = parts.readOnly?.state ?? (this.#isFollowing ? "following" : "serving");
    this.#reason = parts.readOnly?.reason ?? null;
    this.#unheard = {
      resolve: () => {},
      reject: (error) => {
        if (!(error instanceof KernelError)) parts.onError(error);
      },
    };
  }

  get state(): KernelState {
    return this.#state;
  }

  get reason(): string | null {
    return this.#reason;
  }

  get commits(): number {
    return this.#commits;
  }

  /** Submissions that are not yet answered. */
  get queued(): number {
    return this.#queue.length + (this.#open?.answers.length ?? 0) + (this.#inFlight?.answers.length ?? 0);
  }

  /**
   * Queues a submission and resolves with its outcome.
   * @throws KernelError, or what a decider throws.
   */
  submit(submission: Submission): Promise<Outcome> {
    if (this.#state === "following" && this.#parts.follows !== undefined)
      return this.#parts.follows(submission);
    return new Promise((resolve, reject) => {
      if (this.#state !== "serving") {
        reject(refusalOf(this.#state, this.#reason));
      } else if (this.queued >= limits.queueItems) {
        reject(refusalOf("busy", null));
      } else {
        this.#queue.push({ submission, resolve, reject });
        this.#decideQueued();
      }
    });
  }

  /** Queues submissions that no caller awaits, and that a full queue must not refuse. */
  enqueue(submissions: readonly Submission[]): void {
    if (this.#state !== "serving") return;
    for (const submission of submissions) this.#queue.push({ submission, ...this.#unheard });
    this.#decideQueued();
  }

  /** Carries on the cascades that the process before left behind. */
  start(): void {
    if (this.#state !== "serving") return;
    this.#refillCarried();
    this.#decideQueued();
  }

  /** Refuses new submissions. Resolves when the accepted ones are answered, or at once when they cannot be. */
  async drain(): Promise<void> {
    const canFinish = this.#isRunning();
    if (this.#state === "serving" || this.#state === "following") this.#state = "closed";
    if (!canFinish || this.#isIdle()) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    if (this.#open !== undefined) this.#open.sealed = true;
    this.#pump();
    await idle;
  }

  /**
   * Makes a commit visible that another process has written.
   * @throws EvolveError
   */
  adopt({ timestamp, events }: Commit): void {
    const { projection, deciders } = this.#parts;
    if (timestamp <= projection.timestamp) return;
    const overlay = new Overlay(projection.states);
    for (const event of events) deciders.apply(event, timestamp, overlay);
    projection.publish(timestamp, events, overlay.touched());
    this.#commits++;
    this.listeners.published({ timestamp, events });
  }

  /** Whether another process writes the log; also known once this one is closed. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Writes from now on. */
  lead(): void {
    if (!this.#isFollowing || !this.#isRunning()) return;
    this.#isFollowing = false;
    this.#turn("serving", null);
    this.start();
  }

  /** Refuses new submissions, with a reason, until `resume`. Finishes the accepted ones. */
  suspend(reason: string): void {
    if (this.#state !== "serving" && this.#state !== "following") return;
    this.#turn("read-only", reason);
  }

  /** Accepts submissions again, because the disk has room. */
  resume(): void {
    if (this.#state !== "read-only") return;
    if (this.#broken !== undefined) {
      this.#turn("failed", this.#broken.message);
      this.#parts.onFatal(this.#broken);
      return;
    }
    this.#turn(this.#isFollowing ? "following" : "serving", null);
    if (this.#isFollowing) return;
    this.#parts.onLost();
    this.start();
  }

  /**
   * Ends the loop because the disk is full or broken, or an event cannot be applied. The commit in flight may
   * still reach the disk.
   */
  fail(error: Error): void {
    this.#end(error, undefined);
  }

  /** Whether accepted submissions are still processed. */
  #isRunning(): boolean {
    const { state } = this;
    return (
      state === "serving" || state === "following" || state === "read-only" || this.#onIdle !== undefined
    );
  }

  #isIdle(): boolean {
    const { length } = this.#queue;
    return (
      length === 0 && this.#carried.length === 0 && this.#open === undefined && this.#inFlight === undefined
    );
  }

  /** Decides the queued submissions, in order, into the open batch. */
  #decideQueued(): void {
    // A listener called this by submitting during a decision. The loop below will reach its submission.
    if (this.#deciding) return;
    this.#deciding = true;
    try {
      while (this.#isRunning() && this.#decideNext()) continue;
    } finally {
      this.#deciding = false;
    }
  }

  /**
   * Decides the next submission or cascade. Returns false when there is none, or the open batch has no room for
   * it.
   */
  #decideNext(): boolean {
    const isCarried = this.#carried.length > 0;
    if (!isCarried && this.#queue.length === 0) return false;
    const batch = this.#openBatch();
    if (batch === undefined) return false;
    if (isCarried) return this.#carryOn(batch);
    else this.#decideInto(batch, this.#queue.shift() as Queued);
    return true;
  }

  #openBatch(): Batch | undefined {
    if (this.#open !== undefined)
      return this.#open.events.length < limits.batchEvents ? this.#open : undefined;
    if (this.#cancelClockWait !== undefined) return undefined;
    const { commitClock, clock, projection } = this.#parts;
    const next = commitClock.next();
    if ("waitMs" in next) {
      this.#cancelClockWait = clock.after(next.waitMs, () => {
        this.#cancelClockWait = undefined;
        this.#decideQueued();
      });
      return undefined;
    }
    const below = this.#inFlight?.overlay ?? projection.states;
    this.#open = emptyBatch(next.timestamp, below, limits.cascadeCommands);
    return this.#open;
  }

  /** Carries the next cascade on as a whole. Returns false when the batch has no room for it. */
  #carryOn(batch: Batch): boolean {
    const id = this.#carried.peek() as string;
    const cascade = batch.overlay.get("cascade", id) as Cascade | undefined;
    const following = cascade === undefined ? [] : continuationsOf(cascade);
    if (following.length > batch.reactionsLeft) return false;
    this.#carried.shift();
    batch.reactionsLeft -= following.length;
    batch.carriedOn.push(id);
    this.#decideUnheard(batch, carryingOn(id));
    for (const { command, chain } of following) this.#decideUnheard(batch, { commands: [command], ...chain });
    return true;
  }

  /** Writes the commands that did not fit into events of the batch, so that a cascade survives the process. */
  #cut(batch: Batch): void {
    while (batch.continuations.length > 0) {
      const following = batch.continuations.splice(0, limits.cascadeCommands);
      const id = `${batch.timestamp}-${batch.cut.length}`;
      batch.cut.push(id);
      const command = { type: "CUT_CASCADE", id, following } as Command;
      this.#decideUnheard(batch, { commands: [command], origin: "system" });
    }
  }

  /**
   * Looks up in the published states which cascades to carry on, oldest first.
   * @param but ids to leave out
   */
  #refillCarried(but: readonly string[] = []): void {
    this.#carried.drain();
    const all = [...this.#parts.projection.states.all("cascade")].map(([id]) => id);
    const ids = all.filter((id) => !but.includes(id));
    const inOrder = ids.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
    for (const id of inOrder) this.#carried.push(id);
  }

  #decideUnheard(batch: Batch, submission: Submission): void {
    this.#decideInto(batch, { submission, ...this.#unheard });
  }

  #decideInto(batch: Batch, { submission, resolve, reject }: Queued): void {
    const {
      commands,
      origin,
      cause,
      root,
      depth = 0,
      each = false,
      quiet = false,
      relayed = false,
    } = submission;
    const { allowance } = this.#parts;
    // A submission that no caller awaits follows from an accepted one, so it is not limited again.
    const waitMs = reject === this.#unheard.reject ? 0 : allowance.wait(origin);
    if (waitMs > 0) {
      reject(new KernelError("spent", `${origin} has used up its allowance of the log`, { waitMs }));
      this.#discardIfUnused(batch);
      return;
    }
    const chain = { origin, depth, ...(cause && { cause }), ...(root && { root }) };
    const firstIndex = batch.events.length;
    const { overlay: below, timestamp, reactionsLeft } = batch;
    let decided: Decided;
    try {
      const place = { below, timestamp, firstIndex, reactionsLeft };
      decided = this.#parts.deciders.decide(commands, chain, each, place);
    } catch (error) {
      reject(error as Error);
      this.#discardIfUnused(batch);
      if (error instanceof EvolveError) this.fail(error);
      return;
    }
    const { events } = decided;
    if (events.length === 0 && (quiet || this.#nothingPending(batch))) {
      resolve(outcomeOf(decided, this.#parts.projection.timestamp));
      this.#discardIfUnused(batch);
      return;
    }
    decided.overlay.mergeInto(batch.overlay);
    allowance.spend(origin, events);
    for (const event of events) batch.events.push(event);
    for (const continuation of decided.continuations) batch.continuations.push(continuation);
    batch.reactionsLeft = decided.reactionsLeft;
    batch.answers.push({ decided, resolve, reject });
    if (events.length > 0) this.listeners.decided(timestamp, firstIndex, events, relayed);
    this.#schedule(batch, quiet && !decided.reacted);
  }

  #discardIfUnused(batch: Batch): void {
    if (batch.answers.length > 0) return;
    this.#open = undefined;
    this.#parts.commitClock.release(batch.timestamp);
  }

  /** Whether everything that a decision relied on is durable, so that its answer need not wait. */
  #nothingPending(batch: Batch): boolean {
    return this.#inFlight === undefined && batch.events.length === 0;
  }

  #schedule(batch: Batch, quiet: boolean): void {
    if (!quiet || batch.events.length >= limits.batchEvents || this.#state === "closed") batch.sealed = true;
    if (batch.sealed) {
      this.#planPump();
    } else if (batch.answers.length === 1) {
      this.#cancelWindow = this.#parts.clock.after(this.#parts.telemetryWindowMs, () => {
        batch.sealed = true;
        this.#pump();
      });
    }
  }

  /** Starts the commit in a microtask, so that submissions of the same turn still join the batch. */
  #planPump(): void {
    if (this.#pumpPlanned || this.#inFlight !== undefined) return;
    this.#pumpPlanned = true;
    queueMicrotask(() => {
      this.#pumpPlanned = false;
      this.#pump();
    });
  }

  #pump(): void {
    const batch = this.#open;
    if (this.#inFlight !== undefined || batch === undefined || !batch.sealed || !this.#isRunning()) return;
    this.#cancelWindow();
    this.#cut(batch);
    // An event of the cut could not be applied, which has ended the loop.
    if (this.#open !== batch) return;
    this.#open = undefined;
    const { timestamp, events } = batch;
    if (events.length === 0) {
      this.#parts.commitClock.release(timestamp);
      this.#finish(batch);
      return;
    }
    this.#inFlight = batch;
    this.#parts.log.append({ timestamp, events }).then(
      () => this.#publish(batch),
      (error: unknown) => this.#lose(batch, error as Error),
    );
  }

  #publish(batch: Batch): void {
    const { timestamp, events, overlay } = batch;
    const { projection, onTimer, onPublished } = this.#parts;
    try {
      projection.publish(timestamp, events, overlay.touched(), onTimer);
    } catch (error) {
      this.#end(error as Error, batch);
      return;
    }
    this.#commits++;
    this.#inFlight = undefined;
    this.#open?.overlay.rebase(projection.states);
    onPublished();
    this.listeners.published({ timestamp, events });
    this.#finish(batch);
  }

  #finish({ answers, cut }: Batch): void {
    const { timestamp } = this.#parts.projection;
    for (const answer of answers) answer.resolve(outcomeOf(answer.decided, timestamp));
    for (const id of cut) this.#carried.push(id);
    this.#decideQueued();
    this.#pump();
    this.#tellIdle();
  }

  #tellIdle(): void {
    if (!this.#isIdle()) return;
    this.#onIdle?.();
    this.#onIdle = undefined;
  }

  /** Handles a commit that did not become durable. Everything decided on top of it is lost too. */
  #lose(batch: Batch, error: Error): void {
    if (codeOf(error) !== "too-large") {
      this.#end(error, batch);
      return;
    }
    this.#drop([batch, this.#open], new KernelError("failed", "the commit is too large", { cause: error }));
    this.#parts.onLost();
    // The same cascades would be too large again.
    this.#refillCarried(batch.carriedOn);
    for (const id of batch.carriedOn) this.#queue.push({ submission: carryingOn(id), ...this.#unheard });
    this.#decideQueued();
    this.#tellIdle();
  }

  /** @param inFlight the lost commit, if there is one. */
  #end(error: Error, inFlight: Batch | undefined): void {
    const isFull = codeOf(error) === "full";
    const isFirst = this.#isRunning();
    if (isFull && isFirst && isFinal(error)) this.#broken ??= error;
    if (isFirst && !(isFull && this.#state === "read-only")) {
      this.#turn(isFull ? "read-only" : "failed", error.message);
      this.#cancelClockWait?.();
      this.#cancelClockWait = undefined;
    }
    const refusal = refusalOf(this.#state, this.#reason, error);
    for (const { reject } of this.#queue.drain()) reject(refusal);
    this.#carried.drain();
    this.#drop([inFlight, this.#open], refusal);
    this.#tellIdle();
    if (isFirst && this.#state === "failed") this.#parts.onFatal(error);
  }

  #turn(state: KernelState, reason: string | null): void {
    this.#state = state;
    this.#reason = reason;
    this.listeners.stateChanged(state);
  }

  /** Drops batches that never become durable. */
  #drop(batches: readonly (Batch | undefined)[], refusal: KernelError): void {
    const lost: LoggedEvent[] = [];
    this.#cancelWindow();
    for (const batch of batches) {
      if (batch === undefined) continue;
      if (batch === this.#inFlight) this.#inFlight = undefined;
      else this.#open = undefined;
      for (const event of batch.events) lost.push(event);
      for (const { reject } of batch.answers) reject(refusal);
    }
    this.listeners.failed(lost);
  }
}

function carryingOn(id: string): Submission {
  return { commands: [{ type: "CARRY_ON_CASCADE", id } as Command], origin: "system" };
}
