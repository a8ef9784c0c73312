/** A map whose entries expire. All entries live equally long, so the oldest is always the first to go. */
export class Expiring<T> {
  readonly #held = new Map<string, { readonly value: T; readonly until: number }>();
  readonly #lifeMs: number;
  readonly #most: number;

  /** @param most how many entries to hold; a further one replaces the oldest */
  constructor(lifeMs: number, most: number) {
    this.#lifeMs = lifeMs;
    this.#most = most;
  }

  /** Adds an entry. @param now elapsed time (ms), as in all methods */
  put(text: string, value: T, now: number): void {
    for (const [oldest, { until }] of this.#held) {
      if (until > now && this.#held.size < this.#most) break;
      this.#held.delete(oldest);
    }
    this.#held.set(text, { value, until: now + this.#lifeMs });
  }

  /** Returns the value of a text; undefined when it has expired. */
  get(text: string, now: number): T | undefined {
    const found = this.#held.get(text);
    return found === undefined || found.until <= now ? undefined : found.value;
  }

  /** Removes an entry and returns its value. */
  take(text: string, now: number): T | undefined {
    const found = this.get(text, now);
    this.#held.delete(text);
    return found;
  }
}
