import { type AdapterStore, TextStore } from "@ledge/port";

const storeKey = "adopted";

/** A device of an adopted network that the hub is to have. */
export interface AdoptedDevice {
  readonly ieee: string;
  /** Absent when nobody named it. */
  readonly name?: string;
}

/** The devices of an adopted network that the hub does not have yet, because the stick has not been opened. */
export class Adopted {
  readonly #texts: TextStore;

  constructor(store: AdapterStore) {
    this.#texts = new TextStore(store);
  }

  get devices(): readonly AdoptedDevice[] {
    return JSON.parse(this.#texts.get(storeKey) ?? "[]") as AdoptedDevice[];
  }

  async set(devices: readonly AdoptedDevice[]): Promise<void> {
    if (devices.length > 0) await this.#texts.put(storeKey, JSON.stringify(devices));
    else await this.#texts.remove(storeKey);
  }
}
