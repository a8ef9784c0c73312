import { Temporal } from "temporal-polyfill";

/**
 * A local time is a number, like an instant: what the clocks on the wall show, in ms since 1970 as if they
 * showed UTC. So calendar days are whole multiples of `dayMs`.
 */
export const dayMs = 86_400_000;

/** A span without a clock change: instants from `from` until before `to`. Local time is an instant + `offset`. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** How many spans a zone keeps: the same ones are needed again and again. */
const spansKept = 64;
/** At this distance from any clock change a local time means exactly one instant. */
const marginMs = 2 * dayMs;

/** Local time in one time zone, computed with Temporal. */
export class Zone {
  readonly name: string;
  #spans: Span[] = [];

  /**
   * @param name an IANA name
   * @throws RangeError when the runtime does not know it
   */
  constructor(name: string) {
    this.name = name;
    zoned(0, name);
  }

  toLocal(at: number): number {
    return at + this.spanAt(at).offset;
  }

  /**
   * Returns the instant of a local time, disambiguated as `compatible`: a skipped time moves forward by the
   * change, a repeated one is its first occurrence.
   */
  toInstant(local: number): number {
    const { from, to, offset } = this.spanAt(local);
    const at = local - offset;
    if (at - marginMs >= from && at + marginMs < to) return at;
    const wall = zoned(local, "UTC").toPlainDateTime();
    return wall.toZonedDateTime(this.name, { disambiguation: "compatible" }).epochMilliseconds;
  }

  /** Returns the span around an instant. */
  spanAt(at: number): Span {
    const known = this.#spans.find(({ from, to }) => from <= at && at < to);
    if (known !== undefined) return known;
    const time = zoned(at, this.name);
    // `previous` looks before the given instant, which may itself be a transition.
    const from = time.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
    const to = time.getTimeZoneTransition("next");
    const span = {
      from: from?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
      to: to?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
      offset: time.offsetNanoseconds / 1e6,
    };
    this.#spans = [span, ...this.#spans.slice(0, spansKept - 1)];
    return span;
  }
}

const zones = new Map<string, Zone>();
const zonesKept = 16;

/** Returns the zone of a name, the same object each time. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = new Zone(name);
  if (zones.size >= zonesKept) zones.clear();
  zones.set(name, zone);
  return zone;
}

function zoned(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}
