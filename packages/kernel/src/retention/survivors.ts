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
 * Which events stay when a log is compacted up to a horizon: all that is no telemetry; of telemetry the newest that
 * wrote an attribute that there still is, and what caused any event that stays, within `limits.causeLinks`. Where
 * that keeps an event of an object that is gone, it also keeps the event by which it went.
 */
export class Survivors {
  readonly #horizon: number;
  readonly #telemetry: ReadonlySet<string>;
  /** Telemetry up to the horizon. */
  readonly #links = new Map<EventRef, Link>();
  /** By which telemetry an object is gone. */
  readonly #ends = new Map<string, EventRef>();
  /** Causes of events that stay whatever else does. */
  readonly #causes = new Set<EventRef>();
  /** Telemetry that stays, and how many links of its causes stay with it. */
  readonly #staying = new Map<EventRef, number>();

  constructor(horizon: number, aggregates: readonly AnyDecider[]) {
    this.#horizon = horizon;
    const definitions = aggregates.flatMap(({ events }) => events);
    this.#telemetry = new Set(definitions.filter(({ telemetry }) => telemetry).map(({ type }) => type));
  }

  /** The next event up to the horizon. */
  addBelow({ ref, event, kind, isTelemetry, exists }: Applied): void {
    const object = `${kind}/${event.id}`;
    if (exists) this.#ends.delete(object);
    else if (isTelemetry) this.#ends.set(object, ref);
    if (isTelemetry) this.#links.set(ref, { cause: this.#causeOf(event), object });
    else this.addBehind(event);
  }

  /** An event behind the horizon. */
  addBehind(event: LoggedEvent): void {
    const cause = this.#causeOf(event);
    // What is no telemetry stays by itself, and has told of its own cause.
    if (cause !== undefined && this.#links.has(cause)) this.#causes.add(cause);
  }

  /**
   * An event behind the horizon, when it was said already what stays.
   * @returns whether more stays because of it
   */
  addLate(event: LoggedEvent): boolean {
    const before = this.#staying.size;
    const cause = this.#causeOf(event);
    if (cause !== undefined) this.#stay(cause, limits.causeLinks - 1);
    return this.#staying.size > before;
  }

  /**
   * @param lastEvents as of the horizon
   * @param floor all up to there (ms) stays
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

  /** The event that led to one, if it stands up to the horizon. */
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
