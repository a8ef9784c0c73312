import type { TimePoint, TimeRange } from "@ledge/model";
import type { CompiledRange, Edge, RangeState } from "./edge.ts";
import type { Place } from "./place.ts";
import { sunOn } from "./sun.ts";
import { dayMs, zoneOf } from "./zone.ts";

/** The time in which a range holds because of one day. Start and end are equal for a range without a duration. */
interface Interval {
  readonly start: number;
  readonly end: number;
}

const minuteMs = 60_000;
/** How many days to search for one on which the range holds: the sun's cycle takes a year. */
const lookDays = 400;
const intervalsKept = 1024;

/** The usual time of day of sun events, in minutes; used to decide whether an end is on the next day. */
const usualMinutes = { DAWN: 330, SUNRISE: 360, SUNSET: 1080, DUSK: 1110 } as const;

/** A TIME_RANGE, with one interval for each of its days. */
export class TimeRangeIntervals implements CompiledRange {
  readonly #range: TimeRange;
  readonly #weekdays: ReadonlySet<number>;
  readonly #firstDay: number;
  readonly #lastDay: number;
  /** Days from a start to its end. */
  readonly #endDays: number;
  /** How many days the interval of a day can reach into the past or future. */
  readonly #reachDays: number;
  readonly #intervals = new WeakMap<Place, Map<number, Interval | null>>();

  constructor(range: TimeRange) {
    const { start, end, weekdays, validFrom, validTo } = range;
    this.#range = range;
    this.#weekdays = new Set(weekdays);
    this.#firstDay = validFrom ? dayOfDate(validFrom) : Number.NEGATIVE_INFINITY;
    this.#lastDay = validTo ? dayOfDate(validTo) : Number.POSITIVE_INFINITY;
    const minutes = end === null ? 1 : usualMinute(end) - usualMinute(start);
    this.#endDays = minutes > 0 ? 0 : Math.floor(-minutes / 1440) + 1;
    this.#reachDays = start.type === "SUN_EVENT" || end?.type === "SUN_EVENT" ? 4 : 2;
  }

  stateAt(at: number, place: Place): RangeState {
    const begun = this.#begun(at, place);
    const start = this.#startAfter(at, place);
    if (begun === null || begun.end <= at) return { since: null, next: start };
    return { since: begun.start, next: start === null ? begun.end : Math.min(begun.end, start) };
  }

  edgeBefore(at: number, place: Place): Edge | null {
    const begun = this.#begun(at, place);
    if (begun === null) return null;
    if (this.#range.end === null || begun.end > at) return { at: begun.start, edge: "start" };
    return { at: begun.end, edge: "stop" };
  }

  /** Returns the newest interval that has begun; intervals of earlier days begin and end earlier. */
  #begun(at: number, place: Place): Interval | null {
    const top = Math.min(this.#dayAt(at, place) + this.#reachDays, this.#lastDay);
    const bottom = Math.max(top - lookDays, this.#firstDay);
    for (let day = top; day >= bottom; day--) {
      const interval = this.#intervalOn(day, place);
      if (interval !== null && interval.start <= at) return interval;
    }
    return null;
  }

  #startAfter(at: number, place: Place): number | null {
    const bottom = Math.max(this.#dayAt(at, place) - this.#reachDays, this.#firstDay);
    const top = Math.min(bottom + lookDays, this.#lastDay);
    for (let day = bottom; day <= top; day++) {
      const interval = this.#intervalOn(day, place);
      if (interval !== null && interval.start > at) return interval.start;
    }
    return null;
  }

  #dayAt(at: number, { zone }: Place): number {
    return Math.floor(zoneOf(zone).toLocal(at) / dayMs);
  }

  /** Returns null when the range has no interval on this day. */
  #intervalOn(day: number, place: Place): Interval | null {
    if (!this.#range.enabled) return null;
    if (this.#weekdays.size > 0 && !this.#weekdays.has(weekdayOf(day))) return null;
    let known = this.#intervals.get(place);
    if (known === undefined) this.#intervals.set(place, (known = new Map()));
    const kept = known.get(day);
    if (kept !== undefined) return kept;
    if (known.size >= intervalsKept) known.clear();
    const interval = this.#compute(day, place);
    known.set(day, interval);
    return interval;
  }

  #compute(day: number, place: Place): Interval | null {
    const start = instantOf(this.#range.start, day, place);
    if (this.#range.end === null) return { start, end: start };
    const end = instantOf(this.#range.end, day + this.#endDays, place);
    return end > start ? { start, end } : null;
  }
}

function instantOf(point: TimePoint, day: number, place: Place): number {
  const zone = zoneOf(place.zone);
  const at = (minutes: number): number => zone.toInstant(day * dayMs + minutes * minuteMs);
  if (point.type === "TIME_OF_DAY") return at(point.value);
  const { event, offsetMs, earliest, latest } = point;
  const sun = sunOn(day, place)[event];
  const shifted = sun.happens ? sun.at + offsetMs : sun.at;
  const notBefore = typeof earliest === "number" ? Math.max(shifted, at(earliest)) : shifted;
  return typeof latest === "number" ? Math.min(notBefore, at(latest)) : notBefore;
}

function usualMinute(point: TimePoint): number {
  if (point.type === "TIME_OF_DAY") return point.value;
  const { event, offsetMs, earliest, latest } = point;
  const minute = usualMinutes[event] + offsetMs / minuteMs;
  return Math.min(Math.max(minute, earliest ?? minute), latest ?? Number.POSITIVE_INFINITY);
}

/** 1 = Monday to 7 = Sunday; day 0 was a Thursday. */
function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

function dayOfDate(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / dayMs;
}
