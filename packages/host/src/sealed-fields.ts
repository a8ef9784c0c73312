import type { Sealing } from "@ledge/log";
import type { LoggedEvent } from "@ledge/model";

/** On the way to the disk, or back. */
export type Way = "seal" | "open";

/** One kind of fields that are sealed in the log. What has none of them, or needs no change, is answered as it is. */
export interface SealedFields {
  /**
   * Comes before any of a commit's events is sealed.
   * @throws LogError, and the commit is not written
   */
  prepare?(events: readonly LoggedEvent[]): void;
  inEvent(event: LoggedEvent, way: Way): LoggedEvent;
  /** @param kind of the aggregate, whose state with this id it is */
  inState(state: object, kind: string, id: string, way: Way): object;
}

/** A row of a snapshot or base, as far as it matters here. */
interface Row {
  readonly kind?: string;
  readonly id?: string;
  readonly state?: object | null;
}

/** Seals all of some kinds of fields, and opens them. */
export function sealingOf(...kinds: readonly SealedFields[]): Sealing {
  const changedEvents = (events: readonly LoggedEvent[], way: Way): readonly LoggedEvent[] =>
    events.map((event) => kinds.reduce((changed, kind) => kind.inEvent(changed, way), event));
  const changedRow = (row: Row, way: Way): unknown => {
    const { kind: of, id, state } = row;
    if (of === undefined || id === undefined || !state) return row;
    const changed = kinds.reduce((object, kind) => kind.inState(object, of, id, way), state);
    return changed === state ? row : { ...row, state: changed };
  };
  return {
    seal(events) {
      for (const kind of kinds) kind.prepare?.(events);
      return changedEvents(events, "seal");
    },
    open: (events) => changedEvents(events, "open"),
    sealRow: (row) => changedRow(row as Row, "seal"),
    openRow: (row) => changedRow(row as Row, "open"),
  };
}
