import type { SunEvent, TimePoint, TimeRange } from "@ledge/model";

/** What a time range begins or ends with. `none`: it is a moment, without an end. */
export type PointKind = "clock" | SunEvent["event"] | "none";

export const sunEvents = [
  "SUNRISE",
  "SUNSET",
  "DAWN",
  "DUSK",
] as const satisfies readonly SunEvent["event"][];

/** A time range that a reader begins with: every day from 7 to 22. */
export const newRange: TimeRange = {
  type: "TIME_RANGE",
  weekdays: [],
  start: { type: "TIME_OF_DAY", value: 7 * 60 },
  end: { type: "TIME_OF_DAY", value: 22 * 60 },
  enabled: true,
};

const noon = 12 * 60;

export function kindOf(point: TimePoint | null): PointKind {
  if (point === null) return "none";
  return point.type === "SUN_EVENT" ? point.event : "clock";
}

/** Returns a point of another kind, as near to the former as may be. */
export function pointOf(kind: PointKind, former: TimePoint | null): TimePoint | null {
  if (kind === "none") return null;
  if (kind === "clock") return former?.type === "TIME_OF_DAY" ? former : { type: "TIME_OF_DAY", value: noon };
  if (former?.type === "SUN_EVENT") return { ...former, event: kind };
  return { type: "SUN_EVENT", event: kind, offsetMs: 0 };
}

/** Returns a list of days with a day (1 to 7) put in or taken out; all seven are no choice at all. */
export function withDay(days: readonly number[], day: number, isIn: boolean): readonly number[] {
  const others = days.filter((other) => other !== day);
  const found = (isIn ? [...others, day] : others).toSorted((a, b) => a - b);
  return found.length === 7 ? [] : found;
}
