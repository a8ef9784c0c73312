import { fromHex, hexOf } from "../bytes.ts";
import type { StickImage } from "../coordinator-stick.ts";

/** The item of Z-Stack's system whose sub-items are the items of the old numbering. */
const legacyItem = 0;
const zstack = 1;

/** The non-volatile memory of a stick: items by `system/item/sub`. */
export class Nvram {
  readonly #items: Map<string, Uint8Array>;

  constructor(image: StickImage = {}) {
    this.#items = new Map(Object.entries(image).map(([key, hex]) => [key, fromHex(hex)]));
  }

  get isBlank(): boolean {
    return this.#items.size === 0;
  }

  get(item: number, sub: number, system: number = zstack): Uint8Array | undefined {
    return this.#items.get(`${system}/${item}/${sub}`);
  }

  set(item: number, sub: number, value: Uint8Array, system: number = zstack): void {
    this.#items.set(`${system}/${item}/${sub}`, value);
  }

  /** @returns whether it existed. */
  delete(item: number, sub: number, system: number = zstack): boolean {
    return this.#items.delete(`${system}/${item}/${sub}`);
  }

  /** Returns an item of the old numbering. */
  item(id: number): Uint8Array | undefined {
    return this.get(legacyItem, id);
  }

  setItem(id: number, value: Uint8Array): void {
    this.set(legacyItem, id, value);
  }

  deleteItem(id: number): boolean {
    return this.delete(legacyItem, id);
  }

  /** Returns the entries of a table, in order. */
  table(item: number): Uint8Array[] {
    const entries: Uint8Array[] = [];
    for (let sub = 0; ; sub += 1) {
      const entry = this.get(item, sub);
      if (!entry) return entries;
      entries.push(entry);
    }
  }

  save(): StickImage {
    return Object.fromEntries([...this.#items].map(([key, value]) => [key, hexOf(value)]));
  }
}
