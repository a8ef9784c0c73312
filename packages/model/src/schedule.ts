import Type from "typebox";
import type { Rejection } from "./decider.ts";
import { reject } from "./decider.ts";
import type { LoggedEvent } from "./event.ts";
import { limits } from "./limits.ts";
import { byType, Id, unchangedIfNull } from "./schema.ts";

const Cron = Type.String({
  minLength: 9,
  maxLength: limits.cronChars,
  description: "minute hour day-of-month month day-of-week, 0 = Sunday",
});

/** CRONDEF: when something begins and ends, each a cron of five fields in the hub's local time. */
export const CronDef = Type.Object({ type: Type.Literal("CRONDEF"), start: Cron, stop: Cron });
export type CronDef = Type.Static<typeof CronDef>;

/** RULETIME: a CRONDEF that can be disabled. */
export const RuleTime = Type.Object({
  type: Type.Literal("RULETIME"),
  enabled: Type.Boolean(),
  cronDef: CronDef,
});
export type RuleTime = Type.Static<typeof RuleTime>;

/** A CRONDEF as clients send it; its type is optional. */
export const CronDefRequest = Type.Object({
  type: unchangedIfNull(Type.Literal("CRONDEF")),
  start: Cron,
  stop: Cron,
});

/** A RULETIME as clients send it; enabled by default. */
export const RuleTimeRequest = Type.Object({
  type: unchangedIfNull(Type.Literal("RULETIME")),
  enabled: unchangedIfNull(Type.Boolean()),
  cronDef: CronDefRequest,
});

const Minutes = Type.Integer({
  minimum: 0,
  maximum: 1439,
  description: "minutes since midnight, local time",
});

/** TIME_OF_DAY: a local time of the hub. */
export const TimeOfDay = Type.Object({ type: Type.Literal("TIME_OF_DAY"), value: Minutes });
export type TimeOfDay = Type.Static<typeof TimeOfDay>;

/** Dawn and dusk are civil twilight: the sun is 6 degrees below the horizon. */
const sunEvents = ["SUNRISE", "SUNSET", "DAWN", "DUSK"] as const;

/** SUN_EVENT: a time before or after an event of the sun at the hub's location, limited to certain times of day. */
export const SunEvent = Type.Object({
  type: Type.Literal("SUN_EVENT"),
  event: Type.Enum(sunEvents),
  offsetMs: Type.Integer({ minimum: -limits.sunOffsetMs, maximum: limits.sunOffsetMs }),
  earliest: unchangedIfNull(Minutes),
  latest: unchangedIfNull(Minutes),
});
export type SunEvent = Type.Static<typeof SunEvent>;

const TimePoint = byType("SUN_EVENT", SunEvent, TimeOfDay);
export type TimePoint = TimeOfDay | SunEvent;

const LocalDate = Type.String({ pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description: "YYYY-MM-DD" });

/**
 * TIME_RANGE: on each of its days from `start` until `end`, which is on the next day if it is not after
 * `start`. The day is that of the start. Without an end it is a moment: its start is an edge, and it never
 * holds.
 */
export const TimeRange = Type.Object({
  type: Type.Literal("TIME_RANGE"),
  id: unchangedIfNull(Id),
  weekdays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    maxItems: 7,
    description: "1 = Monday to 7 = Sunday; none for every day",
  }),
  start: TimePoint,
  end: Type.Union([TimePoint, Type.Null()]),
  validFrom: unchangedIfNull(LocalDate),
  validTo: unchangedIfNull(LocalDate),
  enabled: Type.Boolean(),
});
export type TimeRange = Type.Static<typeof TimeRange>;

/** A time range as it is stored. */
export const StoredRange = byType("TIME_RANGE", TimeRange, RuleTime);
export type StoredRange = RuleTime | TimeRange;

/** Upcasts an event with time ranges: version 1 has no TIME_RANGE among them, version 2 may. */
export function withTimeRanges(event: LoggedEvent): LoggedEvent {
  return { ...event, version: 2 };
}

/** An element of `sceneTimes` as clients send it. */
export const SceneTimeRequest = byType("TIME_RANGE", TimeRange, RuleTimeRequest);

/** A timer of a rule as clients send it. */
export const RuleTimerRequest = byType("TIME_RANGE", TimeRange, CronDefRequest);

/** Returns a requested time range as it is stored; a TIME_RANGE is kept as it is. */
export function storedRange(
  requested: Type.Static<typeof SceneTimeRequest> | Type.Static<typeof RuleTimerRequest>,
): StoredRange {
  if ("weekdays" in requested) return requested;
  const { cronDef, enabled } = "cronDef" in requested ? requested : { cronDef: requested, enabled: true };
  const { start, stop } = cronDef;
  return { type: "RULETIME", enabled: enabled ?? true, cronDef: { type: "CRONDEF", start, stop } };
}

/** Returns a stored time range as one of a rule's timers: the CRONDEF of a RULETIME, or a TIME_RANGE as it is. */
export function ruleTimerOf(range: StoredRange): CronDef | TimeRange {
  return range.type === "TIME_RANGE" ? range : range.cronDef;
}

/**
 * Returns what is wrong with the first invalid time range of a list; undefined when all are valid.
 * @param field the name of the list
 */
export function rangesProblem(ranges: readonly StoredRange[], field: string): Rejection | undefined {
  for (const [index, range] of ranges.entries()) {
    const found = range.type === "TIME_RANGE" ? timeRangeProblem(range) : ruleTimeProblem(range);
    if (found === undefined) continue;
    const path = [field, index, ...(found.field === "" ? [] : [found.field])];
    return reject("invalid", found.problem, path.join("."));
  }
  return undefined;
}

interface RangeProblem {
  readonly field: string;
  readonly problem: string;
}

function ruleTimeProblem({ cronDef }: RuleTime): RangeProblem | undefined {
  for (const edge of ["start", "stop"] as const) {
    const problem = cronProblem(cronDef[edge]);
    if (problem !== undefined) return { field: `cronDef.${edge}`, problem };
  }
  return undefined;
}

function timeRangeProblem(range: TimeRange): RangeProblem | undefined {
  const { length } = JSON.stringify(range);
  if (length > limits.timeRangeChars) {
    return { field: "", problem: `a time range has at most ${limits.timeRangeChars} characters` };
  }
  for (const field of ["start", "end"] as const) {
    const point = range[field];
    if (point?.type !== "SUN_EVENT") continue;
    const { earliest, latest } = point;
    if ((earliest ?? 0) > (latest ?? 1439))
      return { field: `${field}.latest`, problem: "is before earliest" };
  }
  for (const field of ["validFrom", "validTo"] as const) {
    const date = range[field] ?? undefined;
    if (date !== undefined && !isDate(date)) return { field, problem: `${date} is not a date` };
  }
  const { validFrom, validTo } = range;
  if (validFrom && validTo && validTo < validFrom)
    return { field: "validTo", problem: "is before validFrom" };
  return undefined;
}

/** Returns whether a YYYY-MM-DD exists in the calendar. */
export function isDate(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && !isLeap ? 28 : (monthDays[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= days;
}

const cronFields = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day of the month", least: 1, most: 31 },
  { name: "month", least: 1, most: 12 },
  { name: "day of the week", least: 0, most: 6 },
] as const;

/** The greatest length of each month. */
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns why a text is not a cron of five fields that can ever match; undefined when it is one. */
export function cronProblem(text: string): string | undefined {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== cronFields.length) {
    return "a time has five fields: minute hour day-of-month month day-of-week";
  }
  const values = cronFields.map((_, index) => cronValues(parts[index] ?? "", index));
  const wrong = cronFields.find((_, index) => values[index] === undefined);
  if (wrong !== undefined) {
    return `${parts[cronFields.indexOf(wrong)]} is no ${wrong.name}: ${wrong.least} to ${wrong.most}`;
  }
  const [, , days = [], months = []] = values;
  const comes = months.some((month) => days.some((day) => day <= (monthDays[month - 1] ?? 0)));
  // When the day of the week is given too, either of the two days matches.
  return comes || parts[4] !== "*" ? undefined : "this day never comes";
}

/**
 * Returns the values of a cron field: lists of numbers, ranges and `*`, the latter two with an optional step;
 * undefined when it is invalid.
 * @param index its place among the five
 */
export function cronValues(field: string, index: number): number[] | undefined {
  const { least, most } = cronFields[index] ?? { least: 0, most: -1 };
  const values: number[] = [];
  for (const part of field.split(",")) {
    const match = /^(?:(\d{1,2})|(?:\*|(\d{1,2})-(\d{1,2}))(?:\/(\d{1,2}))?)$/.exec(part);
    if (match === null) return undefined;
    const [, only, from, to, step = "1"] = match;
    const first = Number(only ?? from ?? least);
    const last = Number(only ?? to ?? most);
    if (first < least || last > most || first > last || Number(step) === 0) return undefined;
    for (let value = first; value <= last; value += Number(step)) values.push(value);
  }
  return values;
}
