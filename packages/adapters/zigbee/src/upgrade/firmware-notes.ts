import type { AdapterStore } from "@ledge/port";
import { isThere } from "../nodes.ts";
import type { Firmware } from "./firmware.ts";

/** What is known about the firmware of nodes, by IEEE address. */
export class FirmwareNotes {
  readonly #store: AdapterStore;
  /** What is being stored: the store only changes once it is durable, and the next change builds on this. */
  readonly #coming = new Map<string, Firmware>();

  constructor(store: AdapterStore) {
    this.#store = store;
  }

  of(ieee: string): Firmware {
    const stored = this.#store.get(keyOf(ieee)) as Firmware | undefined | null;
    return this.#coming.get(ieee) ?? stored ?? { lastUpgrade: 0 };
  }

  /** Resolves when it is durable. */
  async put(ieee: string, firmware: Firmware): Promise<void> {
    if (JSON.stringify(firmware) === JSON.stringify(this.of(ieee))) return;
    this.#coming.set(ieee, firmware);
    try {
      await this.#store.put(keyOf(ieee), firmware);
    } finally {
      if (this.#coming.get(ieee) === firmware) this.#coming.delete(ieee);
    }
  }

  async erase(ieee: string): Promise<void> {
    if (isThere(this.#store.get(keyOf(ieee)))) await this.#store.put(keyOf(ieee), null);
  }
}

const keyOf = (ieee: string): string => `firmware/${ieee}`;
