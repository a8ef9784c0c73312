import type { HistoryIndex } from "@ledge/history";
import type { Clock, Kernel, Past } from "@ledge/kernel";
import type { EventLog } from "@ledge/log";

/** What a task reads; as of the question, nothing of it can be changed. */
export interface Reader {
  readonly hubId: string;
  /** Of the API, four components. */
  readonly version: string;
  /** The whole log, journal included, up to date. */
  readonly log: EventLog;
  /** Timestamp (ms) of the newest commit. */
  readonly now: number;
  /** The index of that log up to some time, as of its mark; undefined where there is none that can be believed. */
  readonly history: HistoryIndex | undefined;
  /**
   * How it was when all commits up to a timestamp (ms) had been made. Not to be changed, and good until the next call.
   * @throws HistoryPruned, BudgetSpent, LogError
   */
  stateAt(timestamp: number): Past;
  /**
   * As `stateAt`, also below the horizon, where what is not telemetry is as it was.
   * @throws BudgetSpent, LogError
   */
  keptAt(timestamp: number): Past;
  /** A kernel that shows what `stateAt` says, and at which that is the time. */
  kernelAt(timestamp: number): Kernel;
  /** To be called now and then by whatever may take long. @throws BudgetSpent */
  spend(): void;
}

/** What the log says of then is not all that happened. */
export class HistoryPruned extends Error {
  override readonly name = "HistoryPruned";
  /** The oldest time (ms) of which all is known. */
  readonly oldest: number;

  constructor(oldest: number) {
    super(`the log goes back to ${new Date(oldest).toISOString()}`);
    this.oldest = oldest;
  }
}

/** A question takes longer than it may, or nobody waits for its answer. */
export class BudgetSpent extends Error {
  override readonly name = "BudgetSpent";
}

/** A clock that stands still. */
export function clockAt(timestamp: number): Clock {
  return { wall: () => timestamp, monotonic: () => 0, after: () => () => {} };
}
