/** What is left of one caller's allowance. Times are elapsed ms. */
export interface Bucket {
  left: number;
  at: number;
}

const minuteMs = 60_000;

/** A token bucket: it holds the requests of a period, a minute if not said, and refills evenly. */
export class Rate {
  readonly #most: number;
  readonly #periodMs: number;

  constructor(most: number, periodMs: number = minuteMs) {
    this.#most = most;
    this.#periodMs = periodMs;
  }

  full(now: number): Bucket {
    return { left: this.#most, at: now };
  }

  /** Takes one request out of the bucket. Returns 0, or after how many seconds to try again. */
  take(bucket: Bucket, now: number): number {
    const perMs = this.#most / this.#periodMs;
    bucket.left = Math.min(this.#most, bucket.left + (now - bucket.at) * perMs);
    bucket.at = now;
    if (bucket.left < 1) return Math.ceil((1 - bucket.left) / perMs / 1000);
    bucket.left -= 1;
    return 0;
  }
}

/** Buckets by key, of which it keeps a bounded number: the ones that were asked for longest ago go first. */
export class Buckets {
  readonly rate: Rate;
  readonly #entriesMax: number;
  readonly #buckets = new Map<string, Bucket>();

  /** As `Rate`. */
  constructor(most: number, entriesMax: number, periodMs?: number) {
    this.rate = new Rate(most, periodMs);
    this.#entriesMax = entriesMax;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** As `Rate.take`, for the bucket of `key`. */
  take(key: string, now: number): number {
    return this.rate.take(this.of(key, now), now);
  }

  /** The bucket of `key`; a full one when there is none. */
  of(key: string, now: number): Bucket {
    const bucket = this.#buckets.get(key) ?? this.rate.full(now);
    this.#buckets.delete(key);
    if (this.#buckets.size >= this.#entriesMax) {
      const oldest = this.#buckets.keys().next();
      if (!oldest.done) this.#buckets.delete(oldest.value);
    }
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
