/** Keeps the smallest values that it was given, up to a number: a binary heap with the largest of them on top. */
export class Smallest<T> {
  readonly #most: number;
  readonly #compare: (a: T, b: T) => number;
  readonly #heap: T[] = [];

  /** @param most at least 1 */
  constructor(most: number, compare: (a: T, b: T) => number) {
    this.#most = most;
    this.#compare = compare;
  }

  add(value: T): void {
    const heap = this.#heap;
    if (heap.length < this.#most) {
      heap.push(value);
      this.#rise(heap.length - 1);
    } else if (this.#compare(value, heap[0] as T) < 0) {
      heap[0] = value;
      this.#sink();
    }
  }

  /** Returns the values that it holds, smallest first. */
  sorted(): readonly T[] {
    return this.#heap.toSorted(this.#compare);
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isAbove(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    const { length } = this.#heap;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= length) return;
      const larger = left + 1 < length && this.#isAbove(left + 1, left) ? left + 1 : left;
      if (!this.#isAbove(larger, at)) return;
      this.#swap(at, larger);
      at = larger;
    }
  }

  #isAbove(a: number, b: number): boolean {
    return this.#compare(this.#heap[a] as T, this.#heap[b] as T) > 0;
  }

  #swap(a: number, b: number): void {
    const held = this.#heap[a] as T;
    this.#heap[a] = this.#heap[b] as T;
    this.#heap[b] = held;
  }
}
