/** Lets a number of tasks run at the same time; the others wait in turn. */
export class Slots {
  readonly #count: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  /** Whether no task runs or waits. */
  get isIdle(): boolean {
    return this.#free === this.#count;
  }

  /** How many tasks wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Waits for a slot. Returns a function that frees it, to be called once. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    };
  }
}
