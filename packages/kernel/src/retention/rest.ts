import { limits } from "@ledge/model";
import type { Ahead } from "./ahead.ts";
import { isFruit } from "./policy.ts";

/**
 * Decides whether the quota may be pruned. Each compaction reads the whole log, so after one that freed little
 * the next one waits: an hour after a start or another compaction, then twice as long each time up to a day, or
 * until the log has grown. A start takes everything it needs from the log: no compaction has seen what is after
 * the horizon. Times are elapsed ms.
 */
export class Rest {
  #restMs: number = limits.fruitlessRestMs;
  #since: number;
  #usedBytes: number;
  /** Whether the last compaction freed less than expected. */
  #isDoubted = false;

  constructor(at: number, usedBytes: number) {
    this.#since = at;
    this.#usedBytes = usedBytes;
  }

  /** @param usedBytes size of the used part of the log */
  allows({ telemetryBytes, bytes, isAll }: Ahead, at: number, usedBytes: number): boolean {
    const isPromising = isFruit(telemetryBytes, usedBytes);
    const grown = (usedBytes - this.#usedBytes) * 100 >= this.#usedBytes * limits.fruitlessGrowthPercent;
    if (at - this.#since >= this.#restMs || grown) return isPromising || !isAll;
    return isPromising && telemetryBytes * 2 >= bytes && !this.#isDoubted;
  }

  /** Notes a compaction, and whether it freed enough. */
  after(isFruitful: boolean, at: number, usedBytes: number): void {
    this.#restMs = isFruitful
      ? limits.fruitlessRestMs
      : Math.min(this.#restMs * 2, limits.fruitlessRestMostMs);
    this.#isDoubted = !isFruitful;
    this.#since = at;
    this.#usedBytes = usedBytes;
  }
}
