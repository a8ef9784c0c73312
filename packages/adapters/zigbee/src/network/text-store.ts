import { limits } from "@ledge/model";
import type { AdapterStore } from "@ledge/port";

/** Characters of a part: as JSON, with everything in it escaped, it stays below the limit of a value. */
const partChars = Math.floor(limits.adapterValueBytes / 6) - 64;

/** Head of a text: its parts stand under the key of its side, so that a text under way never mixes with the last. */
interface Head {
  readonly side: 0 | 1;
  readonly parts: number;
}

/** Texts of any length in a store of small values. A text is there whole or not at all. */
export class TextStore {
  readonly #store: AdapterStore;

  constructor(store: AdapterStore) {
    this.#store = store;
  }

  /** Undefined: there is none, or it has been damaged. */
  get(key: string): string | undefined {
    const head = this.#store.get(key);
    if (typeof head === "string") return head;
    if (!isHead(head)) return undefined;
    const parts = Array.from({ length: head.parts }, (_, part) => this.#store.get(partKey(key, head, part)));
    return parts.every((part) => typeof part === "string") ? parts.join("") : undefined;
  }

  /** Resolves when it is durable. A short text is one value. */
  async put(key: string, text: string): Promise<void> {
    const before = this.#store.get(key);
    if (text.length <= partChars) {
      await this.#store.put(key, text);
    } else {
      const side = isHead(before) && before.side === 0 ? 1 : 0;
      const head: Head = { side, parts: Math.ceil(text.length / partChars) };
      for (let part = 0; part < head.parts; part += 1)
        await this.#store.put(partKey(key, head, part), text.slice(part * partChars, (part + 1) * partChars));
      await this.#store.put(key, head);
    }
    if (isHead(before)) await this.#empty(key, before);
  }

  async remove(key: string): Promise<void> {
    const before = this.#store.get(key);
    if (before === undefined || before === null) return;
    await this.#store.put(key, null);
    if (isHead(before)) await this.#empty(key, before);
  }

  /** The store forgets no key; what is left of an old text takes no room. */
  async #empty(key: string, head: Head): Promise<void> {
    for (let part = 0; part < head.parts; part += 1) await this.#store.put(partKey(key, head, part), null);
  }
}

function partKey(key: string, { side }: Head, part: number): string {
  return `${key}/${side}/${part}`;
}

function isHead(value: unknown): value is Head {
  return typeof value === "object" && value !== null && "parts" in value && Number.isInteger(value.parts);
}
