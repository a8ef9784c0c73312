/** A first-in, first-out queue that stays fast at any length. */
export class Fifo<T> {
  #values: T[] = [];
  #first = 0;

  get length(): number {
    return this.#values.length - this.#first;
  }

  /** Returns the value that `shift` would remove. */
  peek(): T | undefined {
    return this.#values[this.#first];
  }

  push(value: T): void {
    this.#values.push(value);
  }

  /** Removes and returns the oldest value. */
  shift(): T | undefined {
    if (this.#first === this.#values.length) return undefined;
    const value = this.#values[this.#first++];
    // Copy the rest once most of the array is used up.
    if (this.#first * 2 > this.#values.length) {
      this.#values = this.#values.slice(this.#first);
      this.#first = 0;
    }
    return value;
  }

  /** Removes and returns all values, in order. */
  drain(): T[] {
    const all = this.#values.slice(this.#first);
    this.#values = [];
    this.#first = 0;
    return all;
  }
}
