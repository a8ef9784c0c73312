const none: ReadonlySet<string> = new Set();

/** Finds ids by the keys under which they stand, such as the hubs of an account. */
export class InvertedIndex {
  readonly #ids = new Map<string, Set<string>>();
  readonly #keys = new Map<string, readonly string[]>();

  /** Puts an id under these keys, and under no others. Without keys it is gone. */
  put(id: string, keys: readonly string[]): void {
    for (const key of this.#keys.get(id) ?? []) this.#remove(id, key);
    for (const key of keys) this.#ids.set(key, (this.#ids.get(key) ?? new Set()).add(id));
    if (keys.length > 0) this.#keys.set(id, keys);
    else this.#keys.delete(id);
  }

  /** Returns the ids under a key, in the order in which they were put. The set follows later changes. */
  under(key: string): ReadonlySet<string> {
    return this.#ids.get(key) ?? none;
  }

  #remove(id: string, key: string): void {
    const ids = this.#ids.get(key);
    ids?.delete(id);
    if (ids?.size === 0) this.#ids.delete(key);
  }
}
