/** A queue that stays quick however long it gets. */
export class Fifo<T> {
  #values: T[] = [];
  #first = 0;

  get length(): number {
    return this.#values.length - this.#first;
  }

  /** What `shift` would take out. */
  peek(): T | undefined {
    return this.#values[this.#first];
  }

  push(value: T): void {
    this.#values.push(value);
  }

  /** Takes out what has been in it for the longest. */
  shift(): T | undefined {
    if (this.#first === this.#values.length) return undefined;
    const value = this.#values[this.#first++];
    // What was taken is let go once it is most of the array.
    if (this.#first * 2 > this.#values.length) {
      this.#values = this.#values.slice(this.#first);
      this.#first = 0;
    }
    return value;
  }

  /** Takes out all, in order. */
  drain(): T[] {
    const all = this.#values.slice(this.#first);
    this.#values = [];
    this.#first = 0;
    return all;
  }
}
