import type { SunEvent, TimeOfDay, TimePoint, TimeRange } from "@ledge/model";

/** Returns a time of day, given in minutes since midnight. */
export function clock(minutes: number): TimeOfDay {
  return { type: "TIME_OF_DAY", value: minutes };
}

/** Returns a sun event without an offset. */
export function sun(event: SunEvent["event"]): SunEvent {
  return { type: "SUN_EVENT", event, offsetMs: 0 };
}

/** Returns a time range on every day, or on the weekdays (ISO) on which it begins. */
export function daily(start: TimePoint, end: TimePoint | null, weekdays: readonly number[] = []): TimeRange {
  return { type: "TIME_RANGE", weekdays: [...weekdays], start, end, enabled: true };
}
