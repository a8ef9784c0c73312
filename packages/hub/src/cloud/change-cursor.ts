import { changeKinds, type ChangePlace } from "@ledge/link";
import type { Hub } from "@ledge/model";

/*
 * A cursor of changes, which the cloud stores and gives back:
 *
 *   n.<generation>                           nothing is shared
 *   s.<generation>.<timestamp>               it has everything up to this commit
 *   s.<generation>.<timestamp>.<index>       it has everything before the event of this index in this commit
 *   f.<generation>.<timestamp>.<kind>.<id>   it has the objects up to this place, in a full answer that began when
 *                                            this commit was the newest
 */

/** How far the cloud has read: in the log, or in a full answer. */
export interface ChangePosition {
  /** The commit up to which the cloud has read, or which was the newest when the full answer began. */
  readonly timestamp: number;
  /** The event of the commit with which to go on; undefined when the commit is read. */
  readonly index?: number;
  /** The last object of the page before; undefined in the log. */
  readonly place?: ChangePlace;
}

type Sharing = Pick<Hub, "share" | "generation">;

/** Returns the cursor of a position. A hub that shares nothing has one cursor for all. */
export function cursorOf(
  { share, generation }: Sharing,
  { timestamp, index, place }: ChangePosition,
): string {
  if (share === "none") return `n.${generation}`;
  if (place !== undefined) return `f.${generation}.${timestamp}.${place.kind}.${place.id}`;
  return `s.${generation}.${timestamp}${index === undefined ? "" : `.${index}`}`;
}

/** Returns the position in a cursor of this generation; undefined in any other text. */
export function positionIn(cursor: string, { generation }: Sharing): ChangePosition | undefined {
  const pattern = /^(?:s\.(\d+)\.(\d+)(?:\.(\d+))?|f\.(\d+)\.(\d+)\.(\w+)\.(.+))$/s;
  const [, ofLog, read, event, ofPage, begun, name, id] = pattern.exec(cursor) ?? [];
  const timestamp = Number(read ?? begun);
  if ((ofLog ?? ofPage) !== String(generation) || !Number.isSafeInteger(timestamp)) return undefined;
  if (id === undefined) return event === undefined ? { timestamp } : { timestamp, index: Number(event) };
  const kind = changeKinds.find((each) => each === name);
  return kind && { timestamp, place: { kind, id } };
}
