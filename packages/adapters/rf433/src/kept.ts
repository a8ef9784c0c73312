import { AdapterError, type AdapterStore, type NativeId } from "@ledge/port";
import type { Coded } from "./device.ts";

const pairedKey = "paired";
const knownKey = (native: NativeId): string => `known/${native}`;

/** Where a device of a search was heard. */
interface Paired {
  readonly place: string;
  readonly native: NativeId;
}

/** As many as fit into one value of the store. */
const pairedAtMost = 500;

/** What outlives a restart: the codes that a search or a pairing has found, and what devices have shown of themselves. */
export class Kept {
  readonly #store: AdapterStore;

  constructor(store: AdapterStore) {
    this.#store = store;
  }

  /** Returns the paired devices of a place. */
  pairedAt(place: string): readonly Coded[] {
    return this.#paired.flatMap((each) => (each.place === place ? (this.known(each.native) ?? []) : []));
  }

  get #paired(): readonly Paired[] {
    const paired = this.#store.get(pairedKey);
    return Array.isArray(paired) ? (paired as Paired[]) : [];
  }

  /** @throws AdapterError `refused` when there are too many, or the store is full */
  async pair(place: string, native: NativeId, device: Coded): Promise<void> {
    const others = this.#paired.filter((each) => each.native !== native);
    if (others.length >= pairedAtMost)
      throw new AdapterError("refused", `at most ${pairedAtMost} devices can be paired`);
    try {
      await this.know(native, device);
      await this.#store.put(pairedKey, [...others, { place, native }]);
    } catch (cause) {
      throw new AdapterError("refused", `not stored: ${(cause as Error).message}`, { cause });
    }
  }

  /** Returns whether the device was paired. */
  async unpair(native: NativeId): Promise<boolean> {
    const left = this.#paired.filter((each) => each.native !== native);
    if (left.length === this.#paired.length) return false;
    await this.#store.put(pairedKey, left);
    return true;
  }

  known(native: NativeId): Coded | undefined {
    return this.#store.get(knownKey(native)) as Coded | undefined;
  }

  async know(native: NativeId, device: Coded): Promise<void> {
    await this.#store.put(knownKey(native), device);
  }
}
