const kept = 16;
/** A sensor repeats what it advertises for about a second. */
const unnumberedMs = 2000;
/** A number comes again after 256 advertisements. */
const numberedMs = 60_000;

/** Tells the advertisements of a sensor from their repetitions, which several gateways may hear. */
export class Repetitions {
  readonly #seen = new Map<string, number>();

  /**
   * Whether the same bytes were heard a moment ago. Takes note of them.
   * @param isNumbered each advertisement has a number of its own
   */
  has(bytes: string, isNumbered: boolean, now: number): boolean {
    const at = this.#seen.get(bytes);
    this.#seen.delete(bytes);
    this.#seen.set(bytes, now);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > kept && oldest !== undefined) this.#seen.delete(oldest);
    return at !== undefined && now - at < (isNumbered ? numberedMs : unnumberedMs);
  }
}
