import type { RuleTime, TimeOfDay, TimeRange } from "@ledge/model";
import type { Place } from "./place.ts";

/** Time zones with every kind of clock change, or none, with a city in each. */
export const places: readonly Place[] = [
  { zone: "Europe/Helsinki", latitude: 60.17, longitude: 24.97 },
  { zone: "America/New_York", latitude: 40.71, longitude: -74.01 },
  { zone: "Australia/Lord_Howe", latitude: -31.55, longitude: 159.08 },
  { zone: "Asia/Kolkata", latitude: 22.53, longitude: 88.37 },
  { zone: "UTC", latitude: 51.48, longitude: 0 },
];

/** Days of 2026 on which the clocks change in one of these zones, and one day without a change. */
export const changeDays = [
  "2026-03-08",
  "2026-03-29",
  "2026-04-04",
  "2026-07-01",
  "2026-10-03",
  "2026-10-25",
  "2026-11-01",
] as const;

/** Helsinki. */
export const helsinki = places[0] as Place;

/** Returns a RULETIME of two crons. */
export function crons(start: string, stop: string): RuleTime {
  return { type: "RULETIME", enabled: true, cronDef: { type: "CRONDEF", start, stop } };
}

/** Returns a TIME_RANGE on all days, unless `fields` restrict it. */
export function range(
  start: TimeRange["start"],
  end: TimeRange["end"],
  fields: Partial<TimeRange> = {},
): TimeRange {
  return { type: "TIME_RANGE", weekdays: [], start, end, enabled: true, ...fields };
}

/** Returns the TIME_OF_DAY of "HH:MM". */
export function clock(time: string): TimeOfDay {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return { type: "TIME_OF_DAY", value: hours * 60 + minutes };
}
