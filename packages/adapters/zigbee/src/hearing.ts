/** Callbacks for the next frame of a device: a sleepy device receives only right after it has sent. */
export class Hearing {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Records a frame of the device. */
  heard(ieee: string): void {
    const waiting = this.#waiting.get(ieee);
    this.#waiting.delete(ieee);
    for (const tell of waiting ?? []) tell();
  }

  /** Calls back once, at the device's next frame; the returned function cancels. */
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
