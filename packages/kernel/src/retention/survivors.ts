import type { EventLog } from "@ledge/log";
import {
  type AnyDecider,
  type EventRef,
  eventRef,
  limits,
  type LoggedEvent,
  parseEventRef,
} from "@ledge/model";
import type { LastEvents } from "./last-events.ts";
import type { Applied } from "./past.ts";

type Keep = Parameters<EventLog["compact"]>[0]["keep"];

interface Link {
  readonly cause: EventRef | undefined;
  readonly object: string;
}

/**
 * Selects the events that stay when a log is compacted up to a horizon. Every event that is not telemetry stays.
 * Of telemetry stay the newest events that wrote an attribute that still exists, and the causes of any event that
 * stays, up to `limits.causeLinks` links back. When an event of a removed object stays, the event that removed
 * the object stays too.
 */
export class Survivors {
  readonly #horizon: number;
  readonly #telemetry: ReadonlySet<string>;
  /** Telemetry up to the horizon. */
  readonly #links = new Map<EventRef, Link>();
  /** The telemetry that removed each object. */
  readonly #ends = new Map<string, EventRef>();
  /** Causes of events that stay in any case. */
  readonly #causes = new Set<EventRef>();
  /** Telemetry that stays, with how many more links of its causes stay too. */
  readonly #staying = new Map<EventRef, number>();

  constructor(horizon: number, aggregates: readonly AnyDecider[]) {
    this.#horizon = horizon;
    const definitions = aggregates.flatMap(({ events }) => events);
    this.#telemetry = new Set(definitions.filter(({ telemetry }) => telemetry).map(({ type }) => type));
  }

  /** Adds the next event up to the horizon. */
  addBelow({ ref, event, kind, isTelemetry, exists }: Applied): void {
    const object = `${kind}/${event.id}`;
    if (exists) this.#ends.delete(object);
    else if (isTelemetry) this.#ends.set(object, ref);
    if (isTelemetry) this.#links.set(ref, { cause: this.#causeOf(event), object });
    else this.addBehind(event);
  }

  /** Adds an event after the horizon. */
  addBehind(event: LoggedEvent): void {
    const cause = this.#causeOf(event);
    // Events that are not telemetry stay anyway, and their own causes are already known.
    if (cause !== undefined && this.#links.has(cause)) this.#causes.add(cause);
  }

  /**
   * Adds an event after the horizon when `finish` has already selected what stays.
   * @returns whether more events stay because of it
   */
  addLate(event: LoggedEvent): boolean {
    const before = this.#staying.size;
    const cause = this.#causeOf(event);
    if (cause !== undefined) this.#stay(cause, limits.causeLinks - 1);
    return this.#staying.size > before;
  }

  /**
   * Selects what stays.
   * @param lastEvents as of the horizon
   * @param floor everything up to this timestamp (ms) stays
   */
  finish(lastEvents: LastEvents, floor = 0): Keep {
    for (const ref of this.#links.keys()) {
      if ((parseEventRef(ref)?.timestamp ?? 0) > floor) break;
      this.#stay(ref, 0);
    }
    for (const ref of lastEvents.refs()) this.#stay(ref, limits.causeLinks);
    for (const cause of this.#causes) this.#stay(cause, limits.causeLinks - 1);
    return (timestamp, index, { type }) =>
      !this.#telemetry.has(type) || this.#staying.has(eventRef(timestamp, index));
  }

  /** Returns the cause of an event, if it is at or before the horizon. */
  #causeOf({ cause }: LoggedEvent): EventRef | undefined {
    if (cause === undefined) return undefined;
    const place = parseEventRef(cause);
    return place !== undefined && place.timestamp <= this.#horizon ? (cause as EventRef) : undefined;
  }

  #stay(ref: EventRef, links: number): void {
    const link = this.#links.get(ref);
    if (link === undefined || (this.#staying.get(ref) ?? -1) >= links) return;
    this.#staying.set(ref, links);
    if (link.cause !== undefined && links > 0) this.#stay(link.cause, links - 1);
    const end = this.#ends.get(link.object);
    if (end !== undefined) this.#stay(end, limits.causeLinks);
  }
}
