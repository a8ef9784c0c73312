/** States by kind and id, for reading and writing. */
export interface Layer {
  get(kind: string, id: string): unknown;
  all(kind: string): IterableIterator<[id: string, state: unknown]>;
  size(kind: string): number;
  /** @param state undefined removes the object. */
  set(kind: string, id: string, state: unknown): void;
}

/** The durable and visible states. */
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

interface Touched {
  readonly state: unknown;
  /** Higher than the rank of everything touched before. */
  readonly rank: number;
}

/** Changes over another layer that can still be dropped. It stores only the objects that were touched. */
export class Overlay implements Layer {
  #below: Layer;
  readonly #touched = new Map<string, Map<string, Touched>>();
  #rank = 0;
  readonly #grown = new Map<string, number>();

  constructor(below: Layer) {
    this.#below = below;
  }

  get(kind: string, id: string): unknown {
    const touched = this.#touched.get(kind)?.get(id);
    return touched === undefined ? this.#below.get(kind, id) : touched.state;
  }

  *all(kind: string): IterableIterator<[string, unknown]> {
    const touched = this.#touched.get(kind);
    for (const entry of this.#below.all(kind)) {
      if (!touched?.has(entry[0])) yield entry;
    }
    for (const [id, { state }] of touched ?? []) {
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
    touched.delete(id);
    touched.set(id, { state, rank: ++this.#rank });
  }

  /**
   * Yields the touched objects with their state, or undefined for removed ones, in the order in which they were
   * last touched, across kinds. The recency list takes its order from this, so it must not depend on earlier
   * touches.
   */
  *touched(): IterableIterator<[kind: string, id: string, state: unknown]> {
    const all: { kind: string; id: string; touched: Touched }[] = [];
    for (const [kind, objects] of this.#touched) {
      for (const [id, touched] of objects) all.push({ kind, id, touched });
    }
    if (this.#touched.size > 1) all.sort((one, other) => one.touched.rank - other.touched.rank);
    for (const { kind, id, touched } of all) yield [kind, id, touched.state];
  }

  /** Writes all touched objects to another layer. */
  mergeInto(layer: Layer): void {
    for (const [kind, id, state] of this.touched()) layer.set(kind, id, state);
  }

  /** Replaces the layer below by one that shows the same states. */
  rebase(below: Layer): void {
    this.#below = below;
  }
}
