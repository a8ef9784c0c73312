import { addressKey } from "./addresses.ts";

/** The rest of one caller's allowance. Times are elapsed ms. */
export interface Bucket {
  left: number;
  at: number;
}

const minuteMs = 60_000;

/** A token bucket that refills evenly: it holds the requests of a period, by default a minute. */
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

  /**
   * Takes a request out of the bucket.
   * @param cost one above the size of the bucket passes when the bucket is full, and leaves it in debt
   * @returns 0, or after how many seconds to retry
   */
  take(bucket: Bucket, now: number, cost = 1): number {
    const perMs = this.#most / this.#periodMs;
    bucket.left = Math.min(this.#most, bucket.left + (now - bucket.at) * perMs);
    bucket.at = now;
    const needed = Math.min(cost, this.#most);
    if (bucket.left < needed) return Math.ceil((needed - bucket.left) / perMs / 1000);
    bucket.left -= cost;
    return 0;
  }
}

/** A bounded number of buckets by key; the least recently used ones are dropped first. */
export class Buckets {
  readonly rate: Rate;
  /** Requests that fit into a full bucket. */
  readonly most: number;
  /** Told what `take` has taken and what was given back (below 0), so that others can count it too. */
  onTaken: (key: string, count: number) => void = () => {};
  readonly #entriesMax: number;
  readonly #buckets = new Map<string, Bucket>();

  /** Parameters as for `Rate`. */
  constructor(most: number, entriesMax: number, periodMs?: number) {
    this.rate = new Rate(most, periodMs);
    this.most = most;
    this.#entriesMax = entriesMax;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Like `Rate.take`, for the bucket of `key`. */
  take(key: string, now: number): number {
    const seconds = this.rate.take(this.of(key, now), now);
    if (seconds === 0) this.onTaken(key, 1);
    return seconds;
  }

  /** Gives back what `take` has taken. */
  giveBack(key: string, now: number): void {
    this.of(key, now).left++;
    this.onTaken(key, -1);
  }

  /**
   * Counts what buckets of the same key elsewhere have taken. The bucket may be left in debt, by its size at most.
   * @param count below 0 for what was given back
   */
  takenElsewhere(key: string, count: number, now: number): void {
    const bucket = this.of(key, now);
    this.rate.take(bucket, now, 0);
    bucket.left = Math.max(-this.most, bucket.left - count);
  }

  /** Returns the bucket of `key`; a full one if there is none yet. */
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

/**
 * The class of a request without a verified credential. `open`: reads what everybody may read. `key`: needs a
 * credential, and has none or an unverified one. `act`: changes something.
 */
export type AddressClass = "open" | "key" | "act";

/** Allowances by network address. Each class has its own, so that spending one leaves the others. */
export class AddressRates {
  readonly #classes: Readonly<Record<AddressClass, Buckets>>;

  /**
   * @param perMinute requests of each class
   * @param addressesMax as for `Buckets`, for each class
   */
  constructor(perMinute: Readonly<Record<AddressClass, number>>, addressesMax: number) {
    const of = (kind: AddressClass): Buckets => new Buckets(perMinute[kind], addressesMax);
    this.#classes = { open: of("open"), key: of("key"), act: of("act") };
  }

  /**
   * Counts a request.
   * @returns 0, or after how many seconds to retry
   */
  take(kind: AddressClass, address: string, now: number): number {
    return this.#classes[kind].take(addressKey(address), now);
  }

  /** Gives back a request that turned out to belong to another class. */
  giveBack(kind: AddressClass, address: string, now: number): void {
    this.#classes[kind].giveBack(addressKey(address), now);
  }

  /** The buckets of each class. */
  get classes(): Readonly<Record<AddressClass, Buckets>> {
    return this.#classes;
  }
}
