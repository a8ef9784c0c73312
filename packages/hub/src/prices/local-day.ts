import type { PriceSlot } from "@ledge/model";

const dayMs = 86_400_000;
const noon = 12 * 60;

/** Creating a format takes a thousand times as long as using it, and a hub is in one time zone. */
let format: { readonly zone: string; readonly of: Intl.DateTimeFormat } | undefined;

/** Converts a time (ms since the epoch) to a time zone: the date as `2026-11-21`, and minutes since midnight. */
export function localDay(at: number, timeZone: string): { readonly date: string; readonly minutes: number } {
  if (format?.zone !== timeZone) format = { zone: timeZone, of: formatIn(timeZone) };
  const parts = Object.fromEntries(format.of.formatToParts(at).map(({ type, value }) => [type, value]));
  const { year = "", month = "", day = "", hour = "0", minute = "0" } = parts;
  return { date: `${year}-${month}-${day}`, minutes: Number(hour) * 60 + Number(minute) };
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
}

/**
 * Whether the prices reach tomorrow's noon. Noon counts, because markets cut their days by other clocks than
 * the hub's.
 */
export function knowsTomorrow(slots: readonly PriceSlot[], now: number, timeZone: string): boolean {
  const today = Date.parse(`${localDay(now, timeZone).date}T00:00:00Z`);
  const tomorrow = new Date(today + dayMs).toISOString().slice(0, 10);
  return slots.some(({ start }) => {
    // Tomorrow's noon lies within these bounds for days of any length.
    if (start < now + dayMs / 4 || start > now + 2 * dayMs) return false;
    const { date, minutes } = localDay(start, timeZone);
    return date === tomorrow && minutes === noon;
  });
}
