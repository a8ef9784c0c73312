import { limits } from "@ledge/model";
import type { Ahead } from "./ahead.ts";
import { isFruit } from "./policy.ts";

/**
 * Whether the quota may be pruned. Each compaction reads the whole log, so one that frees little waits: an hour after
 * a start or another one, then twice as long each time up to a day, or until the log has grown. A start knows all that
 * from the log: what is behind the horizon is what no compaction went through. Times are elapsed ms.
 */
export class Rest {
  #restMs: number = limits.fruitlessRestMs;
  #since: number;
  #usedBytes: number;
  /** Whether the last compaction promised more than it freed. */
  #isDoubted = false;

  constructor(at: number, usedBytes: number) {
    this.#since = at;
    this.#usedBytes = usedBytes;
  }

  /** @param usedBytes of the log */
  allows({ telemetryBytes, bytes, isAll }: Ahead, at: number, usedBytes: number): boolean {
    const isPromising = isFruit(telemetryBytes, usedBytes);
    const grown = (usedBytes - this.#usedBytes) * 100 >= this.#usedBytes * limits.fruitlessGrowthPercent;
    if (at - this.#since >= this.#restMs || grown) return isPromising || !isAll;
    return isPromising && telemetryBytes * 2 >= bytes && !this.#isDoubted;
  }

  /** A compaction has freed something worth it, or little. */
  after(isFruitful: boolean, at: number, usedBytes: number): void {
    this.#restMs = isFruitful
      ? limits.fruitlessRestMs
      : Math.min(this.#restMs * 2, limits.fruitlessRestMostMs);
    this.#isDoubted = !isFruitful;
    this.#since = at;
    this.#usedBytes = usedBytes;
  }
}
