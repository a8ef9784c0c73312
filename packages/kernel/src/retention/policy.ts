import { limits } from "@ledge/model";

/** What a decision about pruning is taken on. Timestamps in ms, sizes in bytes. */
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

/** A compaction that is due: up to which timestamp at most, and through how many bytes of frames. */
export interface PruneOrder {
  readonly reason: "age" | "quota" | "relief";
  readonly until: number;
  readonly bytes: number;
}

/**
 * Whether the log has to be pruned. The quota comes first and at once, the oldest first; age waits for a clock that
 * is believed, and forgets little at a time, so that a wrong one costs little.
 * @param isPruning whether a quota that was exceeded is being pruned down
 */
export function decidePrune(
  { now, clockTrusted, oldest, usedBytes, sinceAgePruneMs }: RetentionFigures,
  { telemetryMs, logBytes }: RetentionBounds,
  isPruning = false,
): PruneOrder | undefined {
  const goal = Math.floor((logBytes * limits.quotaPrunedPercent) / 100);
  if (usedBytes > (isPruning ? goal : logBytes)) return atOnce("quota", usedBytes - goal, usedBytes);
  const until = now - telemetryMs;
  const isDue = clockTrusted && oldest !== undefined && until - oldest >= limits.ageStepMs;
  if (!isDue || sinceAgePruneMs < limits.agePruneMs) return undefined;
  const part = Math.floor((usedBytes * limits.agePrunePercent) / 100);
  return { reason: "age", until, bytes: Math.min(part, limits.compactionBytes) };
}

/**
 * A compaction whatever the age of what goes.
 * @param bytes that have to be freed; a small part of the log is not worth a compaction
 */
export function atOnce(reason: PruneOrder["reason"], bytes: number, usedBytes: number): PruneOrder {
  const least = Math.floor((usedBytes * limits.agePrunePercent) / 100);
  return {
    reason,
    until: Number.MAX_SAFE_INTEGER,
    bytes: Math.min(Math.max(bytes, least), limits.compactionBytes),
  };
}
