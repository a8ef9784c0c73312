import type { SunEvent, TimeOfDay, TimePoint, TimeRange } from "@ledge/model";

/** A time on the clock, in minutes since midnight. */
export function clock(minutes: number): TimeOfDay {
  return { type: "TIME_OF_DAY", value: minutes };
}

export function sun(event: SunEvent["event"]): SunEvent {
  return { type: "SUN_EVENT", event, offsetMs: 0 };
}

/** A time range of every day, or of the weekdays (ISO) on which it begins. */
export function daily(start: TimePoint, end: TimePoint | null, weekdays: readonly number[] = []): TimeRange {
  return { type: "TIME_RANGE", weekdays: [...weekdays], start, end, enabled: true };
}
