import { limits } from "@ledge/model";

/** The figures for a decision about pruning by age. Timestamps in ms, sizes in bytes. */
export interface RetentionFigures {
  /** The hub's time. */
  readonly now: number;
  /** Whether that time is trusted. */
  readonly clockTrusted: boolean;
  /** The oldest commit that is still complete; undefined when there is none. */
  readonly oldest: number | undefined;
  readonly usedBytes: number;
  /** Elapsed time since the last pruning by age; Infinity before the first. */
  readonly sinceAgePruneMs: number;
}

export interface RetentionBounds {
  /** The maximum age of telemetry (ms). */
  readonly telemetryMs: number;
  /** The quota (bytes) for the used part of the log's file. */
  readonly logBytes: number;
}

/** A compaction that is due by age: the latest timestamp to go up to, and how many bytes of frames to handle. */
export interface AgeOrder {
  readonly until: number;
  readonly bytes: number;
}

/**
 * Returns how much telemetry (bytes) must be removed at once for the quota; 0 when none. The quota takes
 * precedence over age.
 * @param isPruning whether the quota was exceeded and is still being pruned down
 */
export function overQuota(usedBytes: number, { logBytes }: RetentionBounds, isPruning = false): number {
  const goal = Math.floor((logBytes * limits.quotaPrunedPercent) / 100);
  return usedBytes > (isPruning ? goal : logBytes) ? worthIt(usedBytes - goal, usedBytes) : 0;
}

/**
 * Decides on pruning by age. It waits for a trusted clock, and removes little at a time, so that a wrong clock
 * does little harm.
 */
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
 * Returns how much telemetry (bytes) one compaction looks for.
 * @param missing how much must be freed; a small part of the log is not worth a compaction
 */
export function worthIt(missing: number, usedBytes: number): number {
  return Math.min(Math.max(missing, partOf(usedBytes)), limits.compactionBytes);
}

/** Whether freeing this much justifies reading a log of this size (bytes). */
export function isFruit(freed: number, usedBytes: number): boolean {
  return freed > 0 && freed >= Math.min(partOf(usedBytes), limits.fruitBytes);
}

function partOf(usedBytes: number): number {
  return Math.floor((usedBytes * limits.agePrunePercent) / 100);
}
