import { type AdapterStore, FirmwareNotes, type NativeId } from "@ledge/port";
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
export type NodeNotes = FirmwareNotes<Note, NativeId>;

/** @param changed called when the note of a node may have changed */
export function nodeNotes(store: AdapterStore, changed: (native: NativeId) => void): NodeNotes {
  return new FirmwareNotes({
    store,
    idOf: (native) => native,
    failureOf: ({ running }, message) => ({ version: running?.version ?? null, message }),
    changed,
  });
}
