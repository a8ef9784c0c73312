import { isDeepStrictEqual } from "node:util";
import type { AdapterStore, NativeId } from "@ledge/port";
import type { Running } from "./listed.ts";

/** What is known of a device's firmware, in the log. */
export interface Note {
  readonly running?: Running;
  /** Ms since the epoch; 0 for never. */
  readonly lastUpgrade: number;
  /** Why the last upgrade failed, while the device still runs the version from then. */
  readonly failure?: { readonly version: string | null; readonly message: string };
  /** The upgrade that waits until the device wakes up; absent when none does. */
  readonly queued?: Queued;
  /** The checksum of the file that the device has begun to fetch, and of which it may have a part. */
  readonly partial?: number;
}

/** A request for an upgrade that has not begun. */
export interface Queued {
  /** When it was made, ms since the epoch. */
  readonly since: number;
  /** How often the device was awake and the upgrade did not begin, because it did not answer. */
  readonly failures: number;
}

/** What is known of the firmware of nodes, by the native ids of their first units. */
export class FirmwareNotes {
  readonly #store: AdapterStore;
  readonly #changed: (native: NativeId) => void;
  /** What is being stored: the store changes when it is durable, and the next change builds on this. */
  readonly #coming = new Map<NativeId, Note>();

  /** @param changed called when the note of a node has changed */
  constructor(store: AdapterStore, changed: (native: NativeId) => void) {
    this.#store = store;
    this.#changed = changed;
  }

  of(native: NativeId): Note {
    const stored = this.#store.get(keyOf(native)) as Note | null | undefined;
    return this.#coming.get(native) ?? stored ?? { lastUpgrade: 0 };
  }

  /** Resolves when it is durable. A note that says nothing new is not written again. */
  async put(native: NativeId, note: Note): Promise<void> {
    const isStored = !this.#coming.has(native) && isDeepStrictEqual(note, this.of(native));
    if (!isStored) await this.#write(native, note);
    this.#changed(native);
  }

  /** Stores that an upgrade has failed. */
  async fail(native: NativeId, message: string): Promise<void> {
    const { queued: _, ...note } = this.of(native);
    await this.put(native, { ...note, failure: { version: note.running?.version ?? null, message } });
  }

  /** Stores that no upgrade waits. */
  async dequeue(native: NativeId): Promise<void> {
    const { queued: _, ...note } = this.of(native);
    await this.put(native, note);
  }

  async erase(native: NativeId): Promise<void> {
    if (this.#store.get(keyOf(native))) await this.#store.put(keyOf(native), null);
  }

  async #write(native: NativeId, note: Note): Promise<void> {
    this.#coming.set(native, note);
    try {
      await this.#store.put(keyOf(native), note);
    } finally {
      if (this.#coming.get(native) === note) this.#coming.delete(native);
    }
  }
}

const keyOf = (native: NativeId): string => `firmware/${native}`;
