/** States by kind and id that can be read and written. */
export interface Layer {
  get(kind: string, id: string): unknown;
  all(kind: string): IterableIterator<[id: string, state: unknown]>;
  size(kind: string): number;
  /** @param state undefined removes. */
  set(kind: string, id: string, state: unknown): void;
}

/** What is durable and visible. */
export class Published implements Layer {
  readonly #kinds = new Map<string, Map<string, unknown>>();

  #of(kind: string): Map<string, unknown> {
    let states = this.#kinds.get(kind);
    if (states === undefined) {
      states = new Map();
      this.#kinds.set(kind, states);
    }
    return states;
  }

  get(kind: string, id: string): unknown {
    return this.#of(kind).get(id);
  }

  all(kind: string): IterableIterator<[string, unknown]> {
    return this.#of(kind).entries();
  }

  size(kind: string): number {
    return this.#of(kind).size;
  }

  set(kind: string, id: string, state: unknown): void {
    if (state === undefined) this.#of(kind).delete(id);
    else this.#of(kind).set(id, state);
  }
}

/** Changes over another layer that may still be dropped: what was touched, and nothing else, is its own. */
export class Overlay implements Layer {
  #below: Layer;
  readonly #touched = new Map<string, Map<string, unknown>>();
  readonly #grown = new Map<string, number>();

  constructor(below: Layer) {
    this.#below = below;
  }

  get(kind: string, id: string): unknown {
    const touched = this.#touched.get(kind);
    return touched?.has(id) ? touched.get(id) : this.#below.get(kind, id);
  }

  *all(kind: string): IterableIterator<[string, unknown]> {
    const touched = this.#touched.get(kind);
    for (const entry of this.#below.all(kind)) {
      if (!touched?.has(entry[0])) yield entry;
    }
    for (const [id, state] of touched ?? []) {
      if (state !== undefined) yield [id, state];
    }
  }

  size(kind: string): number {
    return this.#below.size(kind) + (this.#grown.get(kind) ?? 0);
  }

  set(kind: string, id: string, state: unknown): void {
    const growth = Number(state !== undefined) - Number(this.get(kind, id) !== undefined);
    if (growth !== 0) this.#grown.set(kind, (this.#grown.get(kind) ?? 0) + growth);
    let touched = this.#touched.get(kind);
    if (touched === undefined) {
      touched = new Map();
      this.#touched.set(kind, touched);
    }
    // Touched last stands last, as the order of changes is the order of the recency list.
    touched.delete(id);
    touched.set(id, state);
  }

  /** What was touched, with its state or undefined for what is gone. */
  *touched(): IterableIterator<[kind: string, id: string, state: unknown]> {
    for (const [kind, states] of this.#touched) {
      for (const [id, state] of states) yield [kind, id, state];
    }
  }

  /** Writes all that was touched to another layer. */
  mergeInto(layer: Layer): void {
    for (const [kind, id, state] of this.touched()) layer.set(kind, id, state);
  }

  /** Puts another layer below, which must show the same as the one before. */
  rebase(below: Layer): void {
    this.#below = below;
  }
}
