import type { AnyDecider, Commit, LoggedEvent, Reader, World } from "@ledge/model";
import { aggregates, evolved, indexIn, parseEventRef } from "@ledge/model";

const deciders = new Map<string, AnyDecider>(
  aggregates.flatMap((decider) => decider.events.map(({ type }) => [type, decider] as const)),
);

/** Returns the kind of aggregate that an event is about; undefined for an event that this release does not know. */
export function kindOf({ type }: Pick<LoggedEvent, "type">): AnyDecider["kind"] | undefined {
  return deciders.get(type)?.kind;
}

/** States with some events applied; the states below stay unchanged. */
class After {
  readonly #below: Pick<Reader, "get" | "all" | "size">;
  readonly #touched = new Map<string, Map<string, unknown>>();

  constructor(below: Reader, events: readonly LoggedEvent[], timestamp: number) {
    this.#below = below;
    for (const event of events) {
      const decider = deciders.get(event.type);
      if (decider === undefined) continue;
      const { kind } = decider;
      const of = this.#touched.get(kind) ?? new Map<string, unknown>();
      this.#touched.set(kind, of);
      of.set(event.id, evolved(decider, this.get(kind, event.id), event, timestamp));
    }
  }

  get(kind: string, id: string): unknown {
    const of = this.#touched.get(kind);
    return of?.has(id) ? of.get(id) : this.#below.get(kind as never, id);
  }

  *all(kind: string): IterableIterator<[string, unknown]> {
    const of = this.#touched.get(kind);
    for (const entry of this.#below.all(kind as never)) if (!of?.has(entry[0])) yield entry;
    for (const [id, state] of of ?? []) if (state !== undefined) yield [id, state];
  }
}

/**
 * Returns the home as rules saw it when they heard of the event at this place of a commit.
 * @param below states before the commit
 */
export function worldAt(below: Reader, commit: Commit, place: number): World {
  const { timestamp, events } = commit;
  const known = decidedBy(commit, place);
  const then = new After(below, known, timestamp);
  const before = new After(below, events.slice(0, rootOf(commit, place)), timestamp);
  return {
    now: timestamp,
    newId: () => "",
    get: (kind, id) => then.get(kind, id) as never,
    all: (kind) => then.all(kind) as never,
    size: (kind) => [...then.all(kind)].length,
    before: { get: (kind, id) => before.get(kind, id) as never },
  };
}

/**
 * Returns the events decided before rules heard of this one: reactions run breadth first, one submission
 * after the other.
 */
function decidedBy(commit: Commit, place: number): readonly LoggedEvent[] {
  const { events } = commit;
  const own = events[place];
  const known = events.slice(0, place + 1);
  for (const event of events.slice(place + 1)) {
    const cause = causeIn(commit, event);
    const isDecidedWith = cause === undefined && event.id === own?.id && event.cause === own.cause;
    if (!isDecidedWith && (cause === undefined || cause >= indexIn(commit, place))) break;
    known.push(event);
  }
  return known;
}

/** Returns the place of the first event of this commit in the event's chain of causes. */
function rootOf(commit: Commit, place: number): number {
  const event = commit.events[place];
  const cause = event && causeIn(commit, event);
  if (cause === undefined) return place;
  const at = commit.events.findIndex((_, index) => indexIn(commit, index) === cause);
  return at < 0 || at >= place ? place : rootOf(commit, at);
}

/** Returns the index of the event's cause, if that is in the same commit. */
function causeIn({ timestamp }: Commit, { cause }: LoggedEvent): number | undefined {
  const ref = cause === undefined ? undefined : parseEventRef(cause);
  return ref?.timestamp === timestamp ? ref.index : undefined;
}
