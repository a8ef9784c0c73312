import type { Sealing } from "@ledge/log";
import type { LoggedEvent } from "@ledge/model";

/** On the way to the disk, or back. */
export type Way = "seal" | "open";

/**
 * One kind of fields that are sealed in the log. Objects without such fields, or without a change, are
 * returned as they are.
 */
export interface SealedFields {
  /**
   * Called before any event of a commit is sealed.
   * @throws LogError, and then the commit is not written
   */
  prepare?(events: readonly LoggedEvent[]): void;
  inEvent(event: LoggedEvent, way: Way): LoggedEvent;
  /** @param kind of the aggregate with this state and id */
  inState(state: object, kind: string, id: string, way: Way): object;
}

/** The fields of a row of a snapshot or base that matter here. */
interface Row {
  readonly kind?: string;
  readonly id?: string;
  readonly state?: object | null;
}

/** Seals and opens several kinds of fields. */
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
