import type { EventLog } from '@ledge/log';
import { LogError } from '@ledge/log';
import type { AnyDecider, Command, LoggedEvent, Reaction, Reader, States } from '@ledge/model';
import { limits } from '@ledge/model';
import type { Batch, Waiting } from './batch.ts';
import type { Clock } from './clock.ts';
import { CommitClock } from './clock.ts';
import type { Chain, Decided } from './decide.ts';
import { Deciders, EvolveError } from './decide.ts';
import type { Kernel, KernelHealth, KernelListener } from './kernel.ts';
import { Overlay } from './layer.ts';
import { Poller } from './poll.ts';
import type { CategoryRow } from './projection.ts';
import { Projection } from './projection.ts';
import { restoreSnapshot, snapshotFormat, takeSnapshot } from './snapshot.ts';
import type { Outcome, Submission } from './submission.ts';
import { KernelError } from './submission.ts';
import type { Due } from './timers.ts';
import { Timers } from './timers.ts';
import type { PollRequest, Viewer } from './viewer.ts';

export interface KernelOptions {
  readonly log: EventLog;
  readonly aggregates: readonly AnyDecider[];
  readonly categories: readonly CategoryRow[];
  readonly reactions: readonly Reaction[];
  /** Type of the event after which no earlier poll cursor counts. */
  readonly epochEvent: string;
  readonly clock: Clock;
  /** A fresh UUID. */
  readonly newId: () => string;
  /** Whether the time source says that the wall clock is set. */
  readonly timeTrusted: () => boolean;
  /** Called once when the process must end: an event that cannot be applied, or a write that failed. */
  readonly onFatal: (error: Error) => void;
  /** Gives way to other work of the process. */
  readonly pause: () => Promise<void>;
  /** Part of the snapshot's format: another release reads the log anew. */
  readonly release: string;
  readonly telemetryWindowMs?: number;
  readonly tombstones?: number;
  readonly snapshotCommits?: number;
}

interface Queued {
  readonly submission: Submission;
  readonly waiting: Omit<Waiting, 'outcome'>;
}

/** How often an untrusted clock is asked about (ms). */
const clockCheckMs = 5000;

/**
 * Reads the log (newest snapshot plus tail) and starts the loop.
 * @throws LogError `damaged`; EvolveError when the log holds an event that nothing knows.
 */
export function openKernel(options: KernelOptions): Kernel {
  return new Loop(options);
}

class Loop implements Kernel {
  readonly log: EventLog;
  readonly #options: KernelOptions;
  readonly #deciders: Deciders;
  readonly #projection: Projection;
  readonly #poller: Poller;
  readonly #commitClock: CommitClock;
  readonly #timers: Timers;
  readonly #listeners = new Set<KernelListener>();
  readonly #format: string;
  #inFlight: Batch | undefined;
  #open: Batch | undefined;
  /** Submissions that wait for the next batch: this one is full, or the timestamps have run ahead. */
  #queue: Queued[] = [];
  #state: KernelHealth['state'] = 'serving';
  #reason: string | null = null;
  #commits = 0;
  #commitsAtSnapshot = 0;
  #pumping = false;
  #snapshotting: Promise<void> = Promise.resolve();
  #cancelWindow: () => void = () => {};
  #cancelCheck: () => void = () => {};

  constructor(options: KernelOptions) {
    this.#options = options;
    this.log = options.log;
    const { aggregates, categories, epochEvent, clock } = options;
    this.#deciders = new Deciders(aggregates, options.reactions, options.newId);
    this.#projection = new Projection(aggregates, categories, epochEvent, options.tombstones ?? limits.tombstones);
    this.#format = snapshotFormat(
      aggregates.map(({ kind }) => kind),
      aggregates.flatMap(({ events }) => events),
      options.release,
    );
    this.#load();
    this.#commitClock = new CommitClock(clock, this.log.last, options.timeTrusted);
    this.#timers = new Timers(clock, this.#commitClock, (due) => this.#fire(due));
    this.#commitClock.onChange = () => this.#timers.rebuild();
    this.#timers.inherit([...this.all('timer')].map(([, timer]) => timer));
    this.#poller = new Poller(
      {
        list: this.#projection.list,
        categories: this.#projection.categories,
        read: this.#projection.states as Reader,
        timestamp: () => this.#projection.timestamp,
        seen: (category, id) => this.#projection.seen(category.kind ?? '', id),
      },
      options.pause,
    );
    this.#checkClock();
  }

  get timestamp(): number {
    return this.#projection.timestamp;
  }

  get health(): KernelHealth {
    const queued = this.#queue.length + (this.#open?.waiting.length ?? 0) + (this.#inFlight?.waiting.length ?? 0);
    return {
      state: this.#state,
      reason: this.#reason,
      queued,
      commits: this.#commits,
      clockTrusted: this.#commitClock.trusted,
    };
  }

  submit(submission: Submission): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.#state !== 'serving') {
        reject(this.#refusal());
      } else if (this.health.queued >= limits.queueItems) {
        reject(new KernelError('busy', 'too many submissions are queued'));
      } else {
        this.#queue.push({ submission, waiting: { resolve, reject } });
        this.#decideQueued();
      }
    });
  }

  get<K extends keyof States>(kind: K, id: string): States[K] | undefined {
    return this.#projection.states.get(kind, id) as States[K] | undefined;
  }

  all<K extends keyof States>(kind: K): IterableIterator<[id: string, state: States[K]]> {
    return this.#projection.states.all(kind) as IterableIterator<[string, States[K]]>;
  }

  size(kind: keyof States): number {
    return this.#projection.states.size(kind);
  }

  touch(kind: keyof States, id: string, at: number): void {
    this.#projection.touch(kind, id, at);
  }

  poll(request: PollRequest): Uint8Array | Promise<Uint8Array> {
    return this.#poller.poll(request);
  }

  dictionary(kind: keyof States, viewer: Viewer, language: string, ids?: Iterable<string>): Uint8Array {
    const entries = this.#projection.byKind.get(kind)?.entries;
    if (entries === undefined) return this.#poller.dictionary([], viewer, language);
    if (ids === undefined) return this.#poller.dictionary(entries.values(), viewer, language);
    const named = [...ids].flatMap((id) => entries.get(id) ?? []);
    return this.#poller.dictionary(named, viewer, language);
  }

  render(kind: keyof States, id: string, viewer: Viewer, language: string): object | undefined {
    const entry = this.#projection.entry(kind, id);
    return entry?.readableBy(viewer) ? this.#poller.render(entry, language) : undefined;
  }

  readable(kind: keyof States, id: string, viewer: Viewer): boolean {
    return this.#projection.entry(kind, id)?.readableBy(viewer) ?? false;
  }

  subscribe(listener: KernelListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  raiseTimestamp(floor: number): void {
    this.#commitClock.raise(floor);
  }

  settled(): void {
    this.#timers.settled();
  }

  sync(): Promise<void> {
    this.#commitsAtSnapshot = this.#commits;
    const { timestamp, list, states, byKind } = this.#projection;
    const plain = this.#options.aggregates.map(({ kind }) => kind).filter((kind) => !byKind.has(kind));
    const snapshot = takeSnapshot(timestamp, this.#format, list, plain, states);
    this.#snapshotting = this.#snapshotting.then(() => this.log.saveSnapshot(snapshot));
    return this.#snapshotting;
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    while (this.#state === 'serving' && (this.#inFlight ?? this.#open ?? this.#queue[0]) !== undefined) {
      if (this.#open !== undefined) this.#open.sealed = true;
      this.#pump();
      await this.#options.pause();
    }
    const whole = this.#state === 'serving';
    this.#state = 'closed';
    this.#timers.stop();
    this.#cancelWindow();
    this.#cancelCheck();
    if (whole) await this.sync();
    else await this.#snapshotting.catch(() => undefined);
    await this.log.close();
  }

  #load(): void {
    const { states, list, byKind } = this.#projection;
    const snapshot = this.log.loadSnapshot(this.#format);
    if (snapshot !== undefined) {
      restoreSnapshot(snapshot, list, byKind, states);
      this.#projection.timestamp = snapshot.timestamp;
    }
    for (const { timestamp, events } of this.log.read(snapshot?.timestamp ?? 0)) {
      const overlay = new Overlay(states);
      for (const event of events) this.#deciders.apply(event, timestamp, overlay);
      this.#projection.publish(timestamp, events, overlay.touched(), () => {});
    }
  }

  /** Decides what is queued, in order, into the open batch. */
  #decideQueued(): void {
    while (this.#queue.length > 0 && this.#state === 'serving') {
      const batch = this.#openBatch();
      if (batch === undefined) return;
      const { submission, waiting } = this.#queue.shift() as Queued;
      try {
        this.#decideInto(batch, submission, waiting);
      } catch (error) {
        if (error instanceof EvolveError) this.#end('failed', error);
        waiting.reject(error as Error);
      }
    }
  }

  #openBatch(): Batch | undefined {
    if (this.#open !== undefined) return this.#open.events.length < limits.batchEvents ? this.#open : undefined;
    const next = this.#commitClock.next();
    if ('waitMs' in next) {
      this.#options.clock.after(next.waitMs, () => this.#decideQueued());
      return undefined;
    }
    this.#open = {
      timestamp: next.timestamp,
      overlay: new Overlay(this.#inFlight?.overlay ?? this.#projection.states),
      events: [],
      waiting: [],
      continuations: [],
      reactionsLeft: limits.cascadeCommands,
      sealed: false,
    };
    return this.#open;
  }

  #decideInto(batch: Batch, submission: Submission, waiting: Omit<Waiting, 'outcome'>): void {
    const { origin, cause, root, depth } = submission;
    const chain: Chain = { origin, depth: depth ?? 0, ...(cause && { cause }), ...(root && { root }) };
    const firstIndex = batch.events.length;
    const { timestamp, reactionsLeft } = batch;
    const place = { below: batch.overlay, timestamp, firstIndex, reactionsLeft };
    const decided = this.#deciders.decide(submission.commands, chain, submission.each ?? false, place);
    const quiet = (submission.quiet ?? false) && !decided.reacted;
    const outcome = this.#outcome(batch, decided);
    if (decided.events.length === 0 && (quiet || this.#nothingPending(batch))) {
      waiting.resolve({ ...outcome, timestamp: this.timestamp } as Outcome);
      if (batch.waiting.length === 0) this.#discard(batch);
      return;
    }
    decided.overlay.mergeInto(batch.overlay);
    batch.events.push(...decided.events);
    batch.continuations.push(...decided.continuations);
    batch.reactionsLeft = decided.reactionsLeft;
    batch.waiting.push({ outcome, ...waiting });
    if (decided.events.length > 0) {
      for (const listener of this.#listeners) listener.decided?.(timestamp, firstIndex, decided.events);
    }
    this.#schedule(batch, quiet);
  }

  #discard(batch: Batch): void {
    this.#open = undefined;
    this.#commitClock.release(batch.timestamp);
  }

  #outcome(batch: Batch, { refused, results }: Decided): Outcome {
    return refused === undefined
      ? { accepted: true, timestamp: batch.timestamp, results }
      : { accepted: false, ...refused };
  }

  /** True when what a decision was taken on is durable, so that its answer need not wait. */
  #nothingPending(batch: Batch): boolean {
    return this.#inFlight === undefined && batch.events.length === 0;
  }

  #schedule(batch: Batch, quiet: boolean): void {
    if (!quiet) batch.sealed = true;
    if (batch.events.length >= limits.batchEvents) batch.sealed = true;
    if (batch.sealed) {
      if (this.#pumping) return;
      this.#pumping = true;
      // What arrives in the same turn still joins the batch.
      queueMicrotask(() => {
        this.#pumping = false;
        this.#pump();
      });
      return;
    }
    if (batch.waiting.length > 1) return;
    this.#cancelWindow();
    this.#cancelWindow = this.#options.clock.after(this.#options.telemetryWindowMs ?? limits.telemetryWindowMs, () => {
      if (this.#open !== batch) return;
      batch.sealed = true;
      this.#pump();
    });
  }

  #pump(): void {
    const batch = this.#open;
    if (this.#inFlight !== undefined || batch === undefined || !batch.sealed || this.#state !== 'serving') return;
    this.#open = undefined;
    this.#inFlight = batch;
    const { timestamp, events } = batch;
    if (events.length === 0) {
      this.#finish(batch);
      return;
    }
    this.log.append({ timestamp, events }).then(
      () => this.#publish(batch),
      (error: unknown) => this.#fail(error as Error),
    );
  }

  #publish(batch: Batch): void {
    const { timestamp, events } = batch;
    try {
      this.#projection.publish(timestamp, events, batch.overlay.touched(), (id, timer) => this.#timers.put(id, timer));
    } catch (error) {
      this.#end('failed', error as Error);
      return;
    }
    this.#commits++;
    for (const listener of this.#listeners) listener.published?.({ timestamp, events });
    this.#finish(batch);
    if (this.#commits - this.#commitsAtSnapshot >= (this.#options.snapshotCommits ?? limits.snapshotCommits)) {
      this.sync().catch((error: unknown) => this.#end('failed', error as Error));
    }
  }

  #finish(batch: Batch): void {
    this.#inFlight = undefined;
    this.#open?.overlay.rebase(this.#projection.states);
    for (const { outcome, resolve } of batch.waiting) resolve(outcome);
    for (const { command, chain } of batch.continuations) this.#continue(command, chain);
    this.#decideQueued();
    this.#pump();
  }

  #continue(command: Command, chain: Chain): void {
    // A continuation has nobody to answer: what is refused here is refused as within its cascade.
    this.submit({ commands: [command], ...chain }).catch(() => undefined);
  }

  /** The disk is full or broken: everything decided on the lost commit is lost with it. */
  #fail(error: Error): void {
    const full = error instanceof LogError && error.code === 'full';
    this.#end(full ? 'read-only' : 'failed', error);
  }

  #end(state: 'read-only' | 'failed', error: Error): void {
    if (this.#state !== 'serving') return;
    this.#state = state;
    this.#reason = error.message;
    const lost: LoggedEvent[] = [];
    for (const batch of [this.#inFlight, this.#open]) {
      if (batch === undefined) continue;
      lost.push(...batch.events);
      for (const { reject } of batch.waiting) reject(this.#refusal(error));
    }
    for (const { waiting } of this.#queue) waiting.reject(this.#refusal(error));
    this.#queue = [];
    this.#inFlight = undefined;
    this.#open = undefined;
    for (const listener of this.#listeners) listener.failed?.(lost);
    if (state === 'failed') this.#options.onFatal(error);
  }

  #refusal(cause?: Error): KernelError {
    const code = this.#state === 'serving' ? 'failed' : this.#state;
    const options = cause === undefined ? undefined : { cause };
    if (code === 'read-only') return new KernelError(code, 'the disk is full: nothing can be changed now', options);
    return new KernelError(code, code === 'closed' ? 'the hub is stopping' : 'the change could not be stored', options);
  }

  #fire(due: readonly Due[]): void {
    const commands = due.map(({ id, generation, lateMs }) => ({ type: 'FIRE_TIMER', id, generation, lateMs }));
    this.submit({ commands, origin: 'clock', each: true }).catch(() => undefined);
  }

  #checkClock(): void {
    this.#commitClock.check();
    this.#cancelCheck = this.#options.clock.after(clockCheckMs, () => this.#checkClock());
  }
}
