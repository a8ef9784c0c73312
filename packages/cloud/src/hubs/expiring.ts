/** Texts that are good for a while, and what they stand for. All live as long, so that the oldest goes first. */
export class Expiring<T> {
  readonly #held = new Map<string, { readonly value: T; readonly until: number }>();
  readonly #lifeMs: number;
  readonly #most: number;

  /** @param most how many are held; a further one takes the place of the oldest */
  constructor(lifeMs: number, most: number) {
    this.#lifeMs = lifeMs;
    this.#most = most;
  }

  /** @param now elapsed time (ms), as everywhere here */
  put(text: string, value: T, now: number): void {
    for (const [oldest, { until }] of this.#held) {
      if (until > now && this.#held.size < this.#most) break;
      this.#held.delete(oldest);
    }
    this.#held.set(text, { value, until: now + this.#lifeMs });
  }

  get(text: string, now: number): T | undefined {
    const found = this.#held.get(text);
    return found === undefined || found.until <= now ? undefined : found.value;
  }

  /** As `get`, once. */
  take(text: string, now: number): T | undefined {
    const found = this.get(text, now);
    this.#held.delete(text);
    return found;
  }
}
