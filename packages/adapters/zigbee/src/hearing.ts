/** Who waits for a device to be heard: one that sleeps takes frames only right after it has sent one. */
export class Hearing {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** A frame of the device has arrived. */
  heard(ieee: string): void {
    const waiting = this.#waiting.get(ieee);
    this.#waiting.delete(ieee);
    for (const tell of waiting ?? []) tell();
  }

  /** Calls back once, at the device's next frame; the returned function takes that back. */
  next(ieee: string, callback: () => void): () => void {
    const waiting = this.#waiting.get(ieee) ?? new Set();
    const tell = (): void => callback();
    this.#waiting.set(ieee, waiting.add(tell));
    return () => {
      waiting.delete(tell);
      if (waiting.size === 0 && this.#waiting.get(ieee) === waiting) this.#waiting.delete(ieee);
    };
  }
}
