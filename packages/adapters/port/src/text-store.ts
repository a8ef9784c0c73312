import { limits } from "@ledge/model";
import type { AdapterStore } from "./adapter.ts";

/** Characters per part: even with every one escaped, the JSON stays below the limit of a value. */
const partChars = Math.floor(limits.adapterValueBytes / 6) - 64;

/**
 * The head of a text. Its parts are stored under the key of its side, so that a text being written never
 * mixes with the old.
 */
interface Head {
  readonly side: 0 | 1;
  readonly parts: number;
}

/** Stores texts of any length as small values. A text is stored whole or not at all. */
export class TextStore {
  readonly #store: AdapterStore;

  constructor(store: AdapterStore) {
    this.#store = store;
  }

  /** Returns undefined when there is no text or it is damaged. */
  get(key: string): string | undefined {
    const head = this.#store.get(key);
    if (typeof head === "string") return head;
    if (!isHead(head)) return undefined;
    const parts = Array.from({ length: head.parts }, (_, part) => this.#store.get(partKey(key, head, part)));
    return parts.every((part) => typeof part === "string") ? parts.join("") : undefined;
  }

  /** Stores a text, a short one as a single value. Resolves when it is durable. */
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

  /** Empties the parts of an old text. The store cannot remove keys. */
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
