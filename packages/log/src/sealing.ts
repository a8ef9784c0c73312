import type { LoggedEvent } from "@ledge/model";
import type { Snapshot } from "./event-log.ts";

/**
 * Changes events, and rows of snapshots and bases, on their way to the disk and back: what it hides stands nowhere
 * in the log's files. None of it changes what it is given.
 */
export interface Sealing {
  /**
   * Called once for each commit, in order, before it is written.
   * @throws LogError, and the commit is not written
   */
  seal(events: readonly LoggedEvent[]): readonly LoggedEvent[];
  /** Undoes `seal`, as far as that may still be undone; upcasters have been applied. */
  open(events: readonly LoggedEvent[]): readonly LoggedEvent[];
  sealRow(row: unknown): unknown;
  openRow(row: unknown): unknown;
}

/** Hides nothing. */
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

/** As lazy, and as often to be read, as the rows themselves. */
function changedRows(rows: Iterable<unknown>, change: (row: unknown) => unknown): Iterable<unknown> {
  return {
    *[Symbol.iterator]() {
      for (const row of rows) yield change(row);
    },
  };
}
