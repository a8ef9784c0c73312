import type { Commit, EventRef, LoggedEvent, Reader, States } from "@ledge/model";
import { eventIn, indexIn, parseEventRef } from "@ledge/model";

/** The past, as questions of why read it. */
export interface Recorded {
  /** The time of the question (ms): that of the newest commit that counts. */
  readonly now: number;
  /** The home at that time. Valid until the next call of `before`. */
  readonly home: Reader;
  /**
   * Returns the event that last wrote an attribute; with an empty attribute, the newest event of an existing
   * object. Valid as long as `home`.
   */
  lastEvent(kind: keyof States, id: string, attribute: string): EventRef | undefined;
  /** Returns a commit, or what compaction has left of it; undefined when nothing is left. */
  commit(timestamp: number): Commit | undefined;
  /** Returns the commits with `after < timestamp <= until`, oldest first. */
  commits(after: number, until: number): Iterable<Commit>;
  /**
   * Returns the home before the commit at a timestamp (ms), valid until the next call; undefined when the
   * rest of the log does not show it. Calls in ascending order are cheap.
   */
  before(timestamp: number): Reader | undefined;
  /** Returns the events of an object up to `now`, without telemetry, oldest first. */
  configuring(kind: keyof States, id: string): Iterable<Placed>;
}

/** An event and its place in the log. */
export interface Placed {
  readonly ref: EventRef;
  /** ms */
  readonly at: number;
  readonly event: LoggedEvent;
}

/** Returns the event of a reference; undefined if the log does not have it. */
export function placedAt(log: Pick<Recorded, "commit">, ref: string): Placed | undefined {
  const place = parseEventRef(ref);
  const commit = place && log.commit(place.timestamp);
  const event = commit && eventIn(commit, place.index);
  return event && { ref: ref as EventRef, at: place.timestamp, event };
}

/** Returns the place in a commit of the event with this index; -1 when it is not there. */
export function placeIn(commit: Commit, index: number): number {
  return commit.events.findIndex((_, place) => indexIn(commit, place) === index);
}

/** Returns whether the first event comes after the other in the log. */
export function isLater(one: EventRef, other: EventRef): boolean {
  const [a, b] = [parseEventRef(one), parseEventRef(other)];
  if (a === undefined || b === undefined) return a !== undefined;
  return a.timestamp === b.timestamp ? a.index > b.index : a.timestamp > b.timestamp;
}
