import type { Base, Compacted, EventLog, LogStats, Snapshot, Verification } from "@ledge/log";
import { LogError } from "@ledge/log";
import type { Commit } from "@ledge/model";

/** The readable part of a log that cannot be opened. */
export interface ReadableState {
  /** A snapshot in this release's format, from a snapshot or a base. */
  readonly snapshot: Snapshot | undefined;
  /** The readable commits after the snapshot, without a gap. */
  readonly commits: readonly Commit[];
  /** A description of what is missing. */
  readonly missing: string;
}

/** A read-only log over the readable part. */
export class RescueLog implements EventLog {
  readonly last: number;
  readonly #state: ReadableState;

  constructor(state: ReadableState) {
    this.#state = state;
    this.last = state.commits.at(-1)?.timestamp ?? state.snapshot?.timestamp ?? 0;
  }

  *read(after = 0, until = Number.MAX_SAFE_INTEGER): IterableIterator<Commit> {
    for (const commit of this.#state.commits)
      if (commit.timestamp > after && commit.timestamp <= until) yield commit;
  }

  /** Ends where the readable part ends: nothing can follow. */
  async *follow(after: number): AsyncIterableIterator<Commit> {
    yield* this.read(after);
  }

  /** The commits were unsealed when the other process read them. */
  readSealed(after?: number, until?: number): IterableIterator<Commit> {
    return this.read(after, until);
  }

  loadSnapshot(format: string): Snapshot | undefined {
    const { snapshot } = this.#state;
    return snapshot?.format === format ? snapshot : undefined;
  }

  /** Unknown, because the readable part begins after a snapshot. */
  get horizon(): number {
    return this.#state.snapshot?.timestamp ?? 0;
  }

  bases(): readonly Base[] {
    return [];
  }

  loadBase(): undefined {
    return undefined;
  }

  verify(): Verification {
    const { commits, missing } = this.#state;
    const events = commits.reduce((sum, commit) => sum + commit.events.length, 0);
    const first = commits[0]?.timestamp ?? 0;
    const { last } = this;
    return { commits: commits.length, events, first, last, damage: [{ timestamp: last, problem: missing }] };
  }

  stats(): LogStats {
    return {
      commits: 0,
      events: 0,
      frameBytes: 0,
      fileBytes: 0,
      usedBytes: 0,
      spareBytes: 0,
      journalMode: "none",
      journalFrames: 0,
      moves: 0,
      stalls: 0,
      flushes: 0,
    };
  }

  append(): Promise<void> {
    return Promise.reject(this.#refusal());
  }

  saveSnapshot(): Promise<void> {
    return Promise.reject(this.#refusal());
  }

  saveBase(): Promise<void> {
    return Promise.reject(this.#refusal());
  }

  boundary(): Promise<number> {
    return Promise.reject(this.#refusal());
  }

  compact(): Promise<Compacted> {
    return Promise.reject(this.#refusal());
  }

  async close(): Promise<void> {}

  #refusal(): LogError {
    return new LogError("closed", this.#state.missing);
  }
}
