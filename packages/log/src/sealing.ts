import type { LoggedEvent } from "@ledge/model";
import type { Snapshot } from "./event-log.ts";

/**
 * Encrypts fields of events, and of rows of snapshots and bases, on their way to the disk, and decrypts them on
 * their way back. Sealed fields appear nowhere in the log's files. No function changes its argument.
 */
export interface Sealing {
  /**
   * Called once for each commit, in order, before it is written.
   * @throws LogError, and the commit is not written
   */
  seal(events: readonly LoggedEvent[]): readonly LoggedEvent[];
  /** Undoes `seal`, except for fields whose key is gone. Upcasters have already run. */
  open(events: readonly LoggedEvent[]): readonly LoggedEvent[];
  sealRow(row: unknown): unknown;
  openRow(row: unknown): unknown;
}

/** Seals nothing. */
export const noSealing: Sealing = {
  seal: (events) => events,
  open: (events) => events,
  sealRow: (row) => row,
  openRow: (row) => row,
};

export function sealedSnapshot(snapshot: Snapshot, sealing: Sealing): Snapshot {
  return { ...snapshot, rows: changedRows(snapshot.rows, (row) => sealing.sealRow(row)) };
}

export function openedSnapshot(snapshot: Snapshot | undefined, sealing: Sealing): Snapshot | undefined {
  return snapshot && { ...snapshot, rows: changedRows(snapshot.rows, (row) => sealing.openRow(row)) };
}

/** Returns rows that are as lazy, and can be read as often, as the original ones. */
function changedRows(rows: Iterable<unknown>, change: (row: unknown) => unknown): Iterable<unknown> {
  return {
    *[Symbol.iterator]() {
      for (const row of rows) yield change(row);
    },
  };
}
