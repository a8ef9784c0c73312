import type { Bus } from "@ledge/fleet";
import { decrypt, encrypt } from "@ledge/host/aes";
import type { Clock } from "@ledge/kernel";
import type { Buckets } from "@ledge/link";
import { limits } from "@ledge/model";
import type { Digests } from "../keys/digests.ts";

/** Names a limit whose use all processes of a cloud are to count. Processes match limits by these names. */
export type ShareRate = (name: string, buckets: Buckets) => void;

export interface RateExchangeOptions {
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  /** Those of the cloud, which no other one on the same broker has. */
  readonly digests: Digests;
  readonly newId: () => string;
}

interface Shared {
  readonly buckets: Buckets;
  /** What was taken here and is not told yet, by key. */
  readonly untold: Map<string, number>;
  /** How much of one key is told very soon. */
  readonly portion: number;
}

/** What a message holds: by limit, how much each key has taken. */
type Told = Readonly<Record<string, readonly (readonly [key: string, count: number])[]>>;

const topic = "rates";
const bound = Buffer.from("ledge rates");

/**
 * Counts the limits of some parts over all processes of a cloud.
 * @returns a function that ends it: then this process counts alone
 */
export function shareRates(
  options: RateExchangeOptions,
  parts: readonly { shareRates(share: ShareRate): void }[],
): () => void {
  const exchange = new RateExchange(options);
  for (const part of parts) part.shareRates((name, buckets) => exchange.share(name, buckets));
  return () => exchange.stop();
}

/**
 * Tells other processes what callers have used of their limits here, and counts what they used there. A request waits for
 * nothing: processes agree a moment later, and each goes on alone without a broker. Messages are sealed, since keys are
 * addresses.
 */
class RateExchange {
  readonly #options: RateExchangeOptions;
  readonly #shared = new Map<string, Shared>();
  readonly #from: string;
  readonly #key: Buffer;
  readonly #leave: () => void;
  #count = 0;
  #untold = 0;
  #timer: { readonly cancel: () => void; readonly isSoon: boolean } | undefined;

  constructor(options: RateExchangeOptions) {
    this.#options = options;
    this.#from = options.newId();
    this.#key = Buffer.from(options.digests.of("rates"), "base64url");
    this.#leave = options.bus.subscribe(topic, (key, bytes) => this.#hear(key, bytes));
  }

  stop(): void {
    this.#leave();
    this.#timer?.cancel();
    for (const { buckets } of this.#shared.values()) buckets.onTaken = () => {};
  }

  share(name: string, buckets: Buckets): void {
    const portion = Math.max(1, Math.floor(buckets.most / limits.rateParts));
    const shared = { buckets, untold: new Map<string, number>(), portion };
    this.#shared.set(name, shared);
    buckets.onTaken = (key, count) => this.#note(shared, key, count);
  }

  #note({ untold, portion }: Shared, key: string, count: number): void {
    const before = untold.get(key);
    if (before === undefined) this.#untold += 1;
    const sum = (before ?? 0) + count;
    untold.set(key, sum);
    if (this.#untold >= limits.rateCallers) this.#tell();
    else this.#tellLater(sum >= portion);
  }

  #tellLater(isSoon: boolean): void {
    if (this.#timer !== undefined) {
      if (this.#timer.isSoon || !isSoon) return;
      this.#timer.cancel();
    }
    const ms = isSoon ? limits.rateTellSoonMs : limits.rateTellMs;
    this.#timer = { cancel: this.#options.clock.after(ms, () => this.#tell()), isSoon };
  }

  #tell(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const told: Record<string, [string, number][]> = {};
    for (const [name, { untold }] of this.#shared) {
      const counts = [...untold].filter(([, count]) => count !== 0);
      if (counts.length > 0) told[name] = counts;
      untold.clear();
    }
    this.#untold = 0;
    if (Object.keys(told).length === 0) return;
    // A bus that is away drops this: each process then counts alone.
    const text = Buffer.from(JSON.stringify(told));
    this.#options.bus.publish(topic, `${this.#from} ${++this.#count}`, encrypt(this.#key, bound, text));
  }

  #hear(key: string, bytes: Uint8Array): void {
    if (key.startsWith(`${this.#from} `)) return;
    const text = decrypt(this.#key, bound, bytes);
    // Another cloud on the same broker.
    if (text === undefined) return;
    const now = this.#options.clock.monotonic();
    for (const [name, counts] of Object.entries(JSON.parse(text.toString()) as Told))
      for (const [caller, count] of counts)
        this.#shared.get(name)?.buckets.takenElsewhere(caller, count, now);
  }
}
