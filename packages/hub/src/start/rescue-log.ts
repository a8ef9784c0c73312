import type { Base, Compacted, EventLog, LogStats, Snapshot, Verification } from "@ledge/log";
import { LogError } from "@ledge/log";
import type { Commit } from "@ledge/model";

/** What could be read of a log that cannot be opened. */
export interface ReadableState {
  /** Of this release's format: a snapshot, or what a base holds of one. */
  readonly snapshot: Snapshot | undefined;
  /** What can be read behind the snapshot, without a gap. */
  readonly commits: readonly Commit[];
  /** What is missing, in words. */
  readonly missing: string;
}

/** A log of what could be read, for reading only. */
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

  /** What another process has read is open. */
  readSealed(after?: number, until?: number): IterableIterator<Commit> {
    return this.read(after, until);
  }

  loadSnapshot(format: string): Snapshot | undefined {
    const { snapshot } = this.#state;
    return snapshot?.format === format ? snapshot : undefined;
  }

  /** Not known: what could be read begins behind a snapshot. */
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
