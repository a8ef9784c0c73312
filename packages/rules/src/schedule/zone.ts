import { Temporal } from "temporal-polyfill";

/**
 * A local time is a number here as an instant is: what the clocks on the wall show, in ms since 1970 as if they
 * showed UTC. So the days of the calendar are whole multiples of `dayMs`.
 */
export const dayMs = 86_400_000;

/** A time without a change of the clocks: instants from `from` to before `to`. Local time is an instant + `offset`. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** Spans are asked for again and again; years of them are not kept. */
const spansKept = 64;
/** So far from any change of the clocks a local time is one instant, whatever the change is. */
const marginMs = 2 * dayMs;

/** Local time in one time zone, as Temporal tells it. */
export class Zone {
  readonly name: string;
  #spans: Span[] = [];

  /** @param name of the IANA database; a RangeError where the runtime does not know it */
  constructor(name: string) {
    this.name = name;
    zoned(0, name);
  }

  toLocal(at: number): number {
    return at + this.spanAt(at).offset;
  }

  /**
   * The instant of a local time, disambiguated as `compatible`: what the clocks skip is as much later as they are put
   * forward, and of what they show twice it is the first.
   */
  toInstant(local: number): number {
    const { from, to, offset } = this.spanAt(local);
    const at = local - offset;
    if (at - marginMs >= from && at + marginMs < to) return at;
    const wall = zoned(local, "UTC").toPlainDateTime();
    return wall.toZonedDateTime(this.name, { disambiguation: "compatible" }).epochMilliseconds;
  }

  /** The span that an instant is in. */
  spanAt(at: number): Span {
    const known = this.#spans.find(({ from, to }) => from <= at && at < to);
    if (known !== undefined) return known;
    const time = zoned(at, this.name);
    // The one before looks behind the given instant, which may be a change itself.
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

/** The zone of a name, the same one each time. */
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
