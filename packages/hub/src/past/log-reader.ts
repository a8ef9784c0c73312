import { HistoryError, type HistoryIndex, indexFormat, isMarkOf, openHistoryIndex } from "@ledge/history";
import { type Kernel, openKernel, Past, pastPartsOf, baseFormat } from "@ledge/kernel";
import type { EventLog } from "@ledge/log";
import { aggregates, limits } from "@ledge/model";
import { kernelParts } from "../start/kernel-parts.ts";
import { BudgetSpent, clockAt, HistoryPruned, type Reader } from "./reader.ts";

const pastParts = pastPartsOf(kernelParts);
const format = baseFormat(pastParts.format);

export interface LogReaderOptions {
  /** Open for reading only, or not written by this thread meanwhile. */
  readonly log: EventLog;
  readonly hubId: string;
  readonly version: string;
  /** Elapsed time (ms). */
  readonly monotonic: () => number;
  /** Whether nobody waits for the answer any more. */
  readonly isGivenUp?: () => boolean;
}

/** Returns the index of this log when it exists and belongs to this release. */
function historyOf(folder: string, log: EventLog): HistoryIndex | undefined {
  let index: HistoryIndex;
  try {
    index = openHistoryIndex(folder);
  } catch (error) {
    // The index is being rebuilt.
    if (error instanceof HistoryError) return undefined;
    throw error;
  }
  if (index.format === indexFormat(aggregates) && isMarkOf(log, index.mark)) return index;
  void index.close();
  return undefined;
}

/** A past state, and how far it has been advanced. */
interface Held {
  readonly past: Past;
  /** All commits up to this time (ms) are applied. */
  readonly until: number;
  /** The horizon of the log when it was read. */
  readonly horizon: number;
}

/**
 * Reads past states from a log that others may write to. It caches the most recent ones, because the next
 * question is often about a time close by.
 */
export class LogReader implements Reader {
  readonly log: EventLog;
  readonly hubId: string;
  readonly version: string;
  now = 0;
  readonly #options: LogReaderOptions;
  /** Cached states, the most recently used first. */
  #held: readonly Held[] = [];
  #deadline = Infinity;
  #historyFolder: string | undefined;
  #history: HistoryIndex | undefined;

  constructor(options: LogReaderOptions) {
    const { log, hubId, version } = options;
    this.log = log;
    this.hubId = hubId;
    this.version = version;
    this.#options = options;
  }

  /**
   * Begins a question.
   * @param budgetMs how long it may take (ms)
   * @param historyFolder the folder of the index, when it may be read
   */
  begin(budgetMs: number, historyFolder?: string): void {
    this.#deadline = this.#options.monotonic() + budgetMs;
    this.now = this.log.last;
    this.#historyFolder = historyFolder;
  }

  /** Ends the question. */
  end(): void {
    void this.#history?.close();
    this.#history = undefined;
    this.#historyFolder = undefined;
  }

  get history(): HistoryIndex | undefined {
    const folder = this.#historyFolder;
    // The index is opened for each question, because an open reader keeps the writer from reusing space in the
    // file.
    if (this.#history === undefined && folder !== undefined) {
      this.#historyFolder = undefined;
      this.#history = historyOf(folder, this.log);
    }
    return this.#history;
  }

  /** Drops the cached states, for example when they hold data that may no longer be known. */
  forget(): void {
    this.#held = [];
  }

  spend(): void {
    const { monotonic, isGivenUp } = this.#options;
    if (monotonic() > this.#deadline) throw new BudgetSpent("this takes too long");
    if (isGivenUp?.() === true) throw new BudgetSpent("nobody waits for it");
  }

  kernelAt(timestamp: number): Kernel {
    return openKernel({
      ...kernelParts,
      log: this.log,
      clock: clockAt(timestamp),
      timeTrusted: () => true,
      onFatal: () => {},
      readOnly: { state: "rescue", reason: "this is how it was" },
      past: this.stateAt(timestamp),
    });
  }

  stateAt(timestamp: number): Past {
    // A compaction may remove commits while they are read.
    for (;;) {
      const horizon = this.#horizon();
      const oldest = Math.max(horizon, this.log.read(0).next().value?.timestamp ?? 0);
      if (timestamp < oldest) throw new HistoryPruned(oldest);
      const past = this.#bring(timestamp, horizon);
      if (this.#horizon() === horizon) return past;
      this.#held = [];
    }
  }

  keptAt(timestamp: number): Past {
    try {
      return this.stateAt(timestamp);
    } catch (error) {
      if (!(error instanceof HistoryPruned)) throw error;
    }
    const past = new Past(pastParts);
    for (const commit of this.log.read(0, timestamp)) {
      past.apply(commit);
      this.spend();
    }
    return past;
  }

  /** Returns the current horizon. */
  #horizon(): number {
    // Reading the newest timestamp refreshes the view of the log.
    void this.log.last;
    return this.log.horizon;
  }

  #bring(timestamp: number, horizon: number): Past {
    const held = this.#usable(timestamp, horizon);
    const others = this.#held.filter((one) => one !== held && one.horizon === horizon);
    if (held !== undefined && held.until >= timestamp) {
      this.#held = [held, ...others];
      return held.past;
    }
    const past = held?.past ?? new Past(pastParts, this.log.loadBase(format, timestamp));
    try {
      for (const commit of this.log.read(past.projection.timestamp, timestamp)) {
        past.apply(commit);
        this.spend();
      }
      const until = Math.min(timestamp, this.now);
      this.#hold({ past, until: Math.max(until, past.projection.timestamp), horizon }, others);
      return past;
    } catch (error) {
      // The state is valid as far as it got, and the next question continues from there.
      const until = past.projection.timestamp;
      if (error instanceof BudgetSpent) this.#hold({ past, until, horizon }, others);
      else this.#held = [];
      throw error;
    }
  }

  #hold(held: Held, others: readonly Held[]): void {
    this.#held = [held, ...others].slice(0, limits.pastsHeld);
  }

  /** Returns the nearest cached state before a time, unless a base is nearer. */
  #usable(timestamp: number, horizon: number): Held | undefined {
    const [held] = this.#held
      .filter((one) => one.horizon === horizon && one.past.projection.timestamp <= timestamp)
      .toSorted((a, b) => b.until - a.until);
    if (held === undefined) return undefined;
    const isBaseNearer = this.log.bases().some((base) => {
      return base.format === format && base.timestamp <= timestamp && base.timestamp > held.until;
    });
    return isBaseNearer ? undefined : held;
  }
}
