import { addressKey } from "./addresses.ts";

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

  /**
   * Takes one request out of the bucket, or one that counts for more.
   * @param cost one that no bucket holds is let through by a full bucket, and leaves it in debt
   * @returns 0, or after how many seconds to try again
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

/**
 * What a request without a verified credential is counted as. `open`: it reads what anybody may read. `key`: it needs a
 * credential, and has none or one that is not known to be good. `act`: it does something.
 */
export type AddressClass = "open" | "key" | "act";

/** Allowances by address of the network. Each class has its own, so that spending one leaves the others. */
export class AddressRates {
  readonly #classes: Readonly<Record<AddressClass, Buckets>>;

  /** @param perMinute of each class. @param addressesMax as `Buckets`, of each class */
  constructor(perMinute: Readonly<Record<AddressClass, number>>, addressesMax: number) {
    const of = (kind: AddressClass): Buckets => new Buckets(perMinute[kind], addressesMax);
    this.#classes = { open: of("open"), key: of("key"), act: of("act") };
  }

  /** Counts a request. @returns 0, or after how many seconds to try again */
  take(kind: AddressClass, address: string, now: number): number {
    return this.#classes[kind].take(addressKey(address), now);
  }

  /** A request was counted that turned out to be none of its class. */
  giveBack(kind: AddressClass, address: string, now: number): void {
    this.#classes[kind].of(addressKey(address), now).left++;
  }
}
