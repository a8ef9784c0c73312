import { limits } from "@ledge/model";

/** What a decision about pruning by age is taken on. Timestamps in ms, sizes in bytes. */
export interface RetentionFigures {
  /** The hub's time. */
  readonly now: number;
  /** Whether that is believed. */
  readonly clockTrusted: boolean;
  /** The oldest commit of which nothing is gone; undefined when there is none. */
  readonly oldest: number | undefined;
  readonly usedBytes: number;
  /** Elapsed time since age last pruned; Infinity when it has not. */
  readonly sinceAgePruneMs: number;
}

export interface RetentionBounds {
  /** How old telemetry may get (ms). */
  readonly telemetryMs: number;
  /** How much of the log's file may be in use (bytes). */
  readonly logBytes: number;
}

/** A compaction that is due by age: up to which timestamp at most, and through how many bytes of frames. */
export interface AgeOrder {
  readonly until: number;
  readonly bytes: number;
}

/**
 * How much telemetry (bytes) has to go for the quota, which comes first and at once; 0 when none.
 * @param isPruning whether a quota that was exceeded is being pruned down
 */
export function overQuota(usedBytes: number, { logBytes }: RetentionBounds, isPruning = false): number {
  const goal = Math.floor((logBytes * limits.quotaPrunedPercent) / 100);
  return usedBytes > (isPruning ? goal : logBytes) ? worthIt(usedBytes - goal, usedBytes) : 0;
}

/** Age waits for a clock that is believed, and forgets little at a time, so that a wrong one costs little. */
export function decideAge(
  { now, clockTrusted, oldest, usedBytes, sinceAgePruneMs }: RetentionFigures,
  { telemetryMs }: RetentionBounds,
): AgeOrder | undefined {
  const until = now - telemetryMs;
  const isDue = clockTrusted && oldest !== undefined && until - oldest >= limits.ageStepMs;
  if (!isDue || sinceAgePruneMs < limits.agePruneMs) return undefined;
  return { until, bytes: Math.min(partOf(usedBytes), limits.compactionBytes) };
}

/**
 * How much telemetry (bytes) one compaction looks for.
 * @param missing that has to be freed; a small part of the log is not worth a compaction
 */
export function worthIt(missing: number, usedBytes: number): number {
  return Math.min(Math.max(missing, partOf(usedBytes)), limits.compactionBytes);
}

/** Whether a compaction that frees so much pays for reading a log of that size (bytes). */
export function isFruit(freed: number, usedBytes: number): boolean {
  return freed > 0 && freed >= Math.min(partOf(usedBytes), limits.fruitBytes);
}

function partOf(usedBytes: number): number {
  return Math.floor((usedBytes * limits.agePrunePercent) / 100);
}
