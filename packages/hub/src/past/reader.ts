import type { HistoryIndex } from "@ledge/history";
import type { Clock, Kernel, Past } from "@ledge/kernel";
import type { EventLog } from "@ledge/log";

/** The data that a task reads, as of the question. A task must not change it. */
export interface Reader {
  readonly hubId: string;
  /** The API version with four components. */
  readonly version: string;
  /** The whole log, journal included, up to date. */
  readonly log: EventLog;
  /** Timestamp (ms) of the newest commit. */
  readonly now: number;
  /** The history index, complete up to its mark; undefined when there is no trusted one. */
  readonly history: HistoryIndex | undefined;
  /**
   * Returns the state after all commits up to a timestamp (ms). It must not be changed and is valid until the
   * next call.
   * @throws HistoryPruned, BudgetSpent, LogError
   */
  stateAt(timestamp: number): Past;
  /**
   * Returns the state like `stateAt`, also before the horizon, where everything but telemetry is complete.
   * @throws BudgetSpent, LogError
   */
  keptAt(timestamp: number): Past;
  /** Returns a kernel over that state, whose clock stands at that time. */
  kernelAt(timestamp: number): Kernel;
  /** Checks the budget. Long tasks must call it now and then. @throws BudgetSpent */
  spend(): void;
}

/** The log no longer holds all events of that time. */
export class HistoryPruned extends Error {
  override readonly name = "HistoryPruned";
  /** The oldest time (ms) for which the log is complete. */
  readonly oldest: number;

  constructor(oldest: number) {
    super(`the log goes back to ${new Date(oldest).toISOString()}`);
    this.oldest = oldest;
  }
}

/** The question has used up its time, or nobody waits for its answer. */
export class BudgetSpent extends Error {
  override readonly name = "BudgetSpent";
}

/** Returns a clock that stands still. */
export function clockAt(timestamp: number): Clock {
  return { wall: () => timestamp, monotonic: () => 0, after: () => () => {} };
}
