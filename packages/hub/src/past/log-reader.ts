import { HistoryError, type HistoryIndex, indexFormat, isMarkOf, openHistoryIndex } from "@ledge/history";
import { type Kernel, openKernel, Past, pastPartsOf, baseFormat } from "@ledge/kernel";
import type { EventLog } from "@ledge/log";
import { aggregates, limits } from "@ledge/model";
import { kernelParts } from "../start/kernel-parts.ts";
import { BudgetSpent, clockAt, HistoryPruned, type Reader } from "./reader.ts";

const pastParts = pastPartsOf(kernelParts);
const format = baseFormat(pastParts.format);

export interface LogReaderOptions {
  /** Open for reading only, or never written to meanwhile by this thread. */
  readonly log: EventLog;
  readonly hubId: string;
  readonly version: string;
  /** Elapsed time (ms). */
  readonly monotonic: () => number;
  /** Whether nobody waits for the answer any more. */
  readonly isGivenUp?: () => boolean;
}

/** The index of a log, if there is one that is of it and of this release. */
function historyOf(folder: string, log: EventLog): HistoryIndex | undefined {
  let index: HistoryIndex;
  try {
    index = openHistoryIndex(folder);
  } catch (error) {
    // It is being made anew.
    if (error instanceof HistoryError) return undefined;
    throw error;
  }
  if (index.format === indexFormat(aggregates) && isMarkOf(log, index.mark)) return index;
  void index.close();
  return undefined;
}

/** A past, and how far it has been brought. */
interface Held {
  readonly past: Past;
  /** All commits up to then (ms) are in it. */
  readonly until: number;
  /** The horizon of the log that it was read from. */
  readonly horizon: number;
}

/**
 * Reads how it was from a log that others may write to. The last pasts are kept: the next question is often of near
 * one of them, as when it is asked how it is and what led to that.
 */
export class LogReader implements Reader {
  readonly log: EventLog;
  readonly hubId: string;
  readonly version: string;
  now = 0;
  readonly #options: LogReaderOptions;
  /** The one that was asked for last stands first. */
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
   * A question that may take so long (ms).
   * @param historyFolder of the index, where it may be read
   */
  begin(budgetMs: number, historyFolder?: string): void {
    this.#deadline = this.#options.monotonic() + budgetMs;
    this.now = this.log.last;
    this.#historyFolder = historyFolder;
  }

  /** The question is answered. */
  end(): void {
    void this.#history?.close();
    this.#history = undefined;
    this.#historyFolder = undefined;
  }

  get history(): HistoryIndex | undefined {
    const folder = this.#historyFolder;
    // It is opened for each question: what reads it keeps its writer from using its file anew.
    if (this.#history === undefined && folder !== undefined) {
      this.#historyFolder = undefined;
      this.#history = historyOf(folder, this.log);
    }
    return this.#history;
  }

  /** Forgets what was read, as when it holds what may not be known any more. */
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
    // A compaction meanwhile takes away what is being read.
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

  /** As of now. */
  #horizon(): number {
    // What is asked for the newest commit looks at the log anew.
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
      // As far as it has come it is right: asked again, it goes on from there.
      const until = past.projection.timestamp;
      if (error instanceof BudgetSpent) this.#hold({ past, until, horizon }, others);
      else this.#held = [];
      throw error;
    }
  }

  #hold(held: Held, others: readonly Held[]): void {
    this.#held = [held, ...others].slice(0, limits.pastsHeld);
  }

  /** What is held nearest before a time, where no base is nearer. */
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
