import { type PastSums, Refused, type SummedHistory, type SummedPoint } from "@ledge/api";
import { type Sum, sumsOf } from "@ledge/history";
import { limits } from "@ledge/model";
import { zoneOf } from "@ledge/rules";
import { HistoryPruned, type Reader } from "../reader.ts";
import { boundsOf } from "./calendar.ts";
import { type PricesThen, pricesThen } from "./prices-then.ts";
import { noTail, oldestOf, type Tail, tailsOf } from "./tails.ts";
import type { Task } from "./task.ts";

const quarterMs = limits.priceSlotMs;
const wattMsOfKWh = 3_600_000_000;

/** Returns what attributes of devices came to in the hours, days or months of a zone, and what energy cost. */
export const sums: Task<"sums"> = (reader, args): SummedHistory | Refused => {
  const { bucket, timezone, from, to, prices } = args;
  if (from > to) return wrong("from", "is behind to");
  const bounds = boundsOf(zoneOf(timezone), bucket, from, to, limits.historySpans);
  if (bounds.length > limits.historySpans + 1)
    return wrong("from", `more than ${limits.historySpans} ${bucket}s`);
  const oldest = oldestOf(reader);
  if (to < oldest) throw new HistoryPruned(oldest);
  const begin = Math.max(bounds[0] ?? from, oldest);
  const quarters = ((bounds.at(-1) ?? to) - (bounds[0] ?? from)) / quarterMs;
  if (prices && quarters > limits.historyQuarters)
    return wrong("prices", `at most ${limits.historyQuarters} quarters of an hour`);
  const fine = prices ? quartersIn(bounds, begin) : bounds;
  const then = prices ? pricesThen(reader, begin, to) : undefined;
  const end = Math.min(reader.now, bounds.at(-1) ?? to);
  const ids = [...new Set(args.series.map(({ deviceId }) => deviceId))];
  const tails = tailsOf(reader, ids, begin, end);
  return {
    type: "SUMMED_HISTORY",
    bucket,
    timezone,
    oldest,
    starts: bounds.slice(0, -1),
    end: bounds.at(-1) ?? to,
    currency: then?.currency ?? null,
    series: args.series.map((of) => {
      const parts = partsOf(reader, of, tails.get(of.deviceId) ?? noTail, { begin, end, fine });
      return { ...of, points: pointsOf(of.attribute, parts, fine, bounds, then) };
    }),
  };
};

interface Window {
  readonly begin: number;
  readonly end: number;
  readonly fine: readonly number[];
}

function partsOf(
  reader: Reader,
  { deviceId, attribute }: PastSums["series"][number],
  found: Tail,
  { begin, end, fine }: Window,
): readonly (Sum | null)[] {
  const index = reader.history;
  // No history is kept of what is a person's.
  if (found.isPersonal) return [];
  const tail = found.tails.get(attribute) ?? [];
  const before =
    tail.findLast(({ timestamp }) => timestamp < begin) ?? index?.before(deviceId, attribute, begin);
  const removedAt = found.removedAt ?? index?.removedAt(deviceId, attribute) ?? Infinity;
  const series = {
    before: removedAt < begin ? undefined : before,
    chunks: index?.chunks(deviceId, attribute, begin, end) ?? [],
    tail: tail.filter(({ timestamp }) => timestamp >= begin),
  };
  const bounds = fine.map((bound) => Math.max(bound, begin));
  return sumsOf(series, bounds, Math.min(end, removedAt), () => reader.spend());
}

/** Sums up the parts of each bucket. */
function pointsOf(
  attribute: string,
  parts: readonly (Sum | null)[],
  fine: readonly number[],
  bounds: readonly number[],
  then: PricesThen | undefined,
): (SummedPoint | null)[] {
  const points: (SummedPoint | null)[] = bounds.slice(1).map(() => null);
  let place = 0;
  for (const [index, part] of parts.entries()) {
    const at = fine[index] ?? 0;
    while (place + 1 < points.length && at >= (bounds[place + 1] ?? Infinity)) place++;
    if (part === null) continue;
    const kWh = energyOf(attribute, part);
    const price = kWh === null || then === undefined ? undefined : then.at(at);
    const one: SummedPoint = {
      ...part,
      kWh,
      cost: kWh === null || price === undefined ? null : kWh * price,
      unpriced: kWh !== null && price === undefined ? kWh : 0,
    };
    const whole = points[place] ?? null;
    points[place] = whole === null ? one : joined(whole, one);
  }
  return points;
}

function joined(one: SummedPoint, next: SummedPoint): SummedPoint {
  const ms = one.ms + next.ms;
  return {
    min: Math.min(one.min, next.min),
    max: Math.max(one.max, next.max),
    avg: ms > 0 ? (one.avg * one.ms + next.avg * next.ms) / ms : next.last,
    ms,
    first: one.first,
    last: next.last,
    count: one.count + next.count,
    rise: one.rise + next.rise,
    kWh: added(one.kWh, next.kWh),
    cost: added(one.cost, next.cost),
    unpriced: one.unpriced + next.unpriced,
  };
}

function added(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : one + other;
}

/** Meters count kWh; of power the energy is the area below it. */
function energyOf(attribute: string, { rise, avg, ms }: Sum): number | null {
  if (attribute === "totalPower" || attribute === "powerToday") return rise;
  if (attribute === "activePower" || attribute === "power") return (avg * ms) / wattMsOfKWh;
  return null;
}

/** Adds the quarters of an hour between bounds: for each of them there may be a price. */
function quartersIn(bounds: readonly number[], begin: number): number[] {
  const fine = new Set(bounds);
  const last = bounds.at(-1) ?? 0;
  for (let at = begin - (begin % quarterMs) + quarterMs; at < last; at += quarterMs) fine.add(at);
  return [...fine].toSorted((a, b) => a - b);
}

function wrong(field: string, message: string): Refused {
  return new Refused(422, `${field}: ${message}`, [{ field, message }]);
}
