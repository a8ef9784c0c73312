import type { AdapterStore } from "@ledge/port";
import type { Node } from "../nodes.ts";
import { isThere } from "../nodes.ts";
import type { Firmware } from "./firmware.ts";

/** What is known about the firmware of nodes, by IEEE address. */
export class FirmwareNotes {
  readonly #store: AdapterStore;
  readonly #changed: (node: Node) => void;
  /** What is being stored: the store only changes once it is durable, and the next change builds on this. */
  readonly #coming = new Map<string, Firmware>();

  /** @param changed called when the data of a node has changed */
  constructor(store: AdapterStore, changed: (node: Node) => void) {
    this.#store = store;
    this.#changed = changed;
  }

  of(ieee: string): Firmware {
    const stored = this.#store.get(keyOf(ieee)) as Firmware | undefined | null;
    return this.#coming.get(ieee) ?? stored ?? { lastUpgrade: 0 };
  }

  /**
   * Resolves when it is durable. Stores nothing for a node that the hub does not have; it is asked again when the hub
   * keeps it.
   */
  async put(node: Node, firmware: Firmware): Promise<void> {
    if (!node.isMember) return;
    await this.#put(node.ieee, firmware);
    this.#changed(node);
  }

  /** Stores that an upgrade has failed, and does not wait. */
  async fail(node: Node, message: string): Promise<void> {
    const { queued: _, ...firmware } = this.of(node.ieee);
    const fileVersion = firmware.running?.fileVersion ?? 0;
    await this.put(node, { ...firmware, failure: { fileVersion, message } });
  }

  /** Stores that no upgrade waits. */
  async dequeue(node: Node): Promise<void> {
    const { queued: _, ...firmware } = this.of(node.ieee);
    await this.put(node, firmware);
  }

  async erase(ieee: string): Promise<void> {
    if (isThere(this.#store.get(keyOf(ieee)))) await this.#store.put(keyOf(ieee), null);
  }

  async #put(ieee: string, firmware: Firmware): Promise<void> {
    if (JSON.stringify(firmware) === JSON.stringify(this.of(ieee))) return;
    this.#coming.set(ieee, firmware);
    try {
      await this.#store.put(keyOf(ieee), firmware);
    } finally {
      if (this.#coming.get(ieee) === firmware) this.#coming.delete(ieee);
    }
  }
}

const keyOf = (ieee: string): string => `firmware/${ieee}`;
