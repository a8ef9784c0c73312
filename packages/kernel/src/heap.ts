/** A binary heap of values ordered by a number, smallest first. */
export class Heap<T> {
  readonly #nodes: { readonly key: number; readonly value: T }[] = [];

  get size(): number {
    return this.#nodes.length;
  }

  peek(): { readonly key: number; readonly value: T } | undefined {
    return this.#nodes[0];
  }

  push(key: number, value: T): void {
    const nodes = this.#nodes;
    let at = nodes.length;
    nodes.push({ key, value });
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#key(parent) <= key) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): T | undefined {
    const top = this.#nodes[0];
    const last = this.#nodes.pop();
    if (top === undefined || last === undefined) return undefined;
    if (this.#nodes.length === 0) return top.value;
    this.#nodes[0] = last;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const smaller = this.#key(left + 1) < this.#key(left) ? left + 1 : left;
      if (this.#key(smaller) >= last.key) return top.value;
      this.#swap(at, smaller);
      at = smaller;
    }
  }

  clear(): void {
    this.#nodes.length = 0;
  }

  #key(at: number): number {
    return this.#nodes[at]?.key ?? Infinity;
  }

  #swap(a: number, b: number): void {
    const nodes = this.#nodes;
    const held = nodes[a];
    const other = nodes[b];
    if (held === undefined || other === undefined) return;
    nodes[a] = other;
    nodes[b] = held;
  }
}
