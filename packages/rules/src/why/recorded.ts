import type { Commit, EventRef, LoggedEvent, Reader, States } from "@ledge/model";
import { eventIn, indexIn, parseEventRef } from "@ledge/model";

/** What of the past a why is told from. */
export interface Recorded {
  /** The moment that it is about (ms): of the newest commit that counts. */
  readonly now: number;
  /** The home then. Good until `before` is asked. */
  readonly home: Reader;
  /** The event that last wrote an attribute, or, with an empty one, the newest of an object that is there. As `home`. */
  lastEvent(kind: keyof States, id: string, attribute: string): EventRef | undefined;
  /** What is left of a commit; undefined when nothing is. */
  commit(timestamp: number): Commit | undefined;
  /** Commits with `after < timestamp <= until`, oldest first. */
  commits(after: number, until: number): Iterable<Commit>;
  /**
   * The home before the commit at a timestamp (ms), good until this is asked again; undefined when what is left of
   * the log does not say. Asked in rising order it goes on from the one before.
   */
  before(timestamp: number): Reader | undefined;
  /** The events of an object up to `now` that are no telemetry, oldest first. */
  configuring(kind: keyof States, id: string): Iterable<Placed>;
}

/** An event, where it stands. */
export interface Placed {
  readonly ref: EventRef;
  /** ms */
  readonly at: number;
  readonly event: LoggedEvent;
}

export function placedAt(log: Pick<Recorded, "commit">, ref: string): Placed | undefined {
  const place = parseEventRef(ref);
  const commit = place && log.commit(place.timestamp);
  const event = commit && eventIn(commit, place.index);
  return event && { ref: ref as EventRef, at: place.timestamp, event };
}

/** The place in its commit of the event with an index; -1 when it is not there. */
export function placeIn(commit: Commit, index: number): number {
  return commit.events.findIndex((_, place) => indexIn(commit, place) === index);
}

/** Where of two events the later one stands. */
export function isLater(one: EventRef, other: EventRef): boolean {
  const [a, b] = [parseEventRef(one), parseEventRef(other)];
  if (a === undefined || b === undefined) return a !== undefined;
  return a.timestamp === b.timestamp ? a.index > b.index : a.timestamp > b.timestamp;
}
