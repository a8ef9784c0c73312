import type { Zone } from "@ledge/rules";

export type Bucket = "hour" | "day" | "month";

const hourMs = 3_600_000;
const dayMs = 86_400_000;

/**
 * Returns when the hours, days or months begin in which a span lies, and when the last of them ends (ms). A day on
 * which the clocks change has 23 or 25 hours. Stops when there are more than `most`.
 */
export function boundsOf(zone: Zone, bucket: Bucket, from: number, to: number, most: number): number[] {
  const next = { hour: nextHour, day: nextDay, month: nextMonth }[bucket];
  const bounds = [begin(zone, bucket, from)];
  for (let at = bounds[0] ?? from; at <= to && bounds.length <= most + 1; bounds.push(at))
    at = next(zone, at);
  return bounds;
}

function begin(zone: Zone, bucket: Bucket, at: number): number {
  const local = zone.toLocal(at);
  if (bucket === "hour") return at - modulo(local, hourMs);
  const day = local - modulo(local, dayMs);
  const date = new Date(day);
  const first = bucket === "day" ? day : Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return zone.toInstant(first);
}

/** A change of the clocks by half an hour makes an hour of half or of one and a half. */
function nextHour(zone: Zone, at: number): number {
  const next = at + hourMs - modulo(zone.toLocal(at + hourMs), hourMs);
  return next > at ? next : next + hourMs;
}

function nextDay(zone: Zone, at: number): number {
  const local = zone.toLocal(at);
  return zone.toInstant(local - modulo(local, dayMs) + dayMs);
}

function nextMonth(zone: Zone, at: number): number {
  const date = new Date(zone.toLocal(at));
  return zone.toInstant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
