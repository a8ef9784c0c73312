import { isDeepStrictEqual } from "node:util";
import type { AdapterStore } from "./adapter.ts";

/** What is known of a device's firmware, in the log. An adapter adds what its protocol knows. */
export interface FirmwareNote {
  /** Ms since the epoch; 0 for never. */
  readonly lastUpgrade: number;
  /** The upgrade that waits until the device wakes up; absent when none does. */
  readonly queued?: object;
  /** Why the last upgrade failed, while the device still runs the version from then. */
  readonly failure?: { readonly message: string };
}

/** Options of `FirmwareNotes`. */
export interface FirmwareNotesOptions<Note extends FirmwareNote, Device> {
  readonly store: AdapterStore;
  /** Under which id a device's note is stored. */
  readonly idOf: (device: Device) => string;
  /** Whether the hub has a device; nothing is stored of others. All, if absent. */
  readonly isKept?: (device: Device) => boolean;
  /** What a failure says beside its message. */
  readonly failureOf: (note: Note, message: string) => NonNullable<Note["failure"]>;
  /** Called when the note of a device may have changed. */
  readonly changed: (device: Device) => void;
}

const keyOf = (id: string): string => `firmware/${id}`;

/** What is known of the firmware of devices, each under an id of its own. */
export class FirmwareNotes<Note extends FirmwareNote, Device> {
  readonly #options: FirmwareNotesOptions<Note, Device>;
  /** What is being stored: the store changes when it is durable, and the next change builds on this. */
  readonly #coming = new Map<string, Note>();

  constructor(options: FirmwareNotesOptions<Note, Device>) {
    this.#options = options;
  }

  of(id: string): Note {
    const stored = this.#options.store.get(keyOf(id)) as Note | null | undefined;
    return this.#coming.get(id) ?? stored ?? ({ lastUpgrade: 0 } as Note);
  }

  /** Resolves when it is durable. A note that says nothing new is not written again. */
  async put(device: Device, note: Note): Promise<void> {
    const { idOf, isKept = () => true, changed } = this.#options;
    if (!isKept(device)) return;
    const id = idOf(device);
    const isStored = !this.#coming.has(id) && isDeepStrictEqual(note, this.of(id));
    if (!isStored) await this.#write(id, note);
    changed(device);
  }

  /** Stores that an upgrade has failed, and that none waits. */
  async fail(device: Device, message: string): Promise<void> {
    const note = this.#unqueued(device);
    await this.put(device, { ...note, failure: this.#options.failureOf(note, message) });
  }

  /** Stores that no upgrade waits. */
  async dequeue(device: Device): Promise<void> {
    await this.put(device, this.#unqueued(device));
  }

  async erase(id: string): Promise<void> {
    const stored = this.#options.store.get(keyOf(id)) ?? null;
    if (stored !== null) await this.#options.store.put(keyOf(id), null);
  }

  #unqueued(device: Device): Note {
    const { queued: _, ...note } = this.of(this.#options.idOf(device));
    return note as Note;
  }

  async #write(id: string, note: Note): Promise<void> {
    this.#coming.set(id, note);
    try {
      await this.#options.store.put(keyOf(id), note);
    } finally {
      if (this.#coming.get(id) === note) this.#coming.delete(id);
    }
  }
}
