import Type from "typebox";
import type { Rejection } from "./decider.ts";
import { reject } from "./decider.ts";
import { limits } from "./limits.ts";
import { unchangedIfNull } from "./schema.ts";

const Cron = Type.String({
  minLength: 9,
  maxLength: limits.cronChars,
  description: "minute hour day-of-month month day-of-week, 0 = Sunday",
});

/** CRONDEF: when something begins and when it ends, each as five fields of cron in the hub's local time. */
export const CronDef = Type.Object({ type: Type.Literal("CRONDEF"), start: Cron, stop: Cron });
export type CronDef = Type.Static<typeof CronDef>;

/** RULETIME: a CRONDEF that can be disabled. */
export const RuleTime = Type.Object({
  type: Type.Literal("RULETIME"),
  enabled: Type.Boolean(),
  cronDef: CronDef,
});
export type RuleTime = Type.Static<typeof RuleTime>;

/** A CRONDEF as clients send it: its type says nothing new. */
export const CronDefRequest = Type.Object({
  type: unchangedIfNull(Type.Literal("CRONDEF")),
  start: Cron,
  stop: Cron,
});

/** A RULETIME as clients send it: enabled unless it says otherwise. */
export const RuleTimeRequest = Type.Object({
  type: unchangedIfNull(Type.Literal("RULETIME")),
  enabled: unchangedIfNull(Type.Boolean()),
  cronDef: CronDefRequest,
});

/** A time range as it is stored. */
export function ruleTime(
  { start, stop }: Type.Static<typeof CronDefRequest>,
  enabled: boolean | null = true,
): RuleTime {
  return { type: "RULETIME", enabled: enabled ?? true, cronDef: { type: "CRONDEF", start, stop } };
}

/**
 * What is wrong with the first bad time range of a list, if any.
 * @param field the list's name.
 */
export function rangesProblem(ranges: readonly RuleTime[], field: string): Rejection | undefined {
  for (const [index, { cronDef }] of ranges.entries()) {
    for (const edge of ["start", "stop"] as const) {
      const problem = cronProblem(cronDef[edge]);
      if (problem !== undefined) return reject("invalid", problem, `${field}.${index}.cronDef.${edge}`);
    }
  }
  return undefined;
}

const cronFields = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day of the month", least: 1, most: 31 },
  { name: "month", least: 1, most: 12 },
  { name: "day of the week", least: 0, most: 6 },
] as const;

/** The longest that each month can be. */
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Why a text is no cron of five fields whose time can come, or undefined when it is one. */
export function cronProblem(text: string): string | undefined {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== cronFields.length) {
    return "a time has five fields: minute hour day-of-month month day-of-week";
  }
  const values = cronFields.map(({ least, most }, index) => valuesOf(parts[index] ?? "", least, most));
  const wrong = cronFields.find((_, index) => values[index] === undefined);
  if (wrong !== undefined) {
    return `${parts[cronFields.indexOf(wrong)]} is no ${wrong.name}: ${wrong.least} to ${wrong.most}`;
  }
  const [, , days = [], months = []] = values;
  const comes = months.some((month) => days.some((day) => day <= (monthDays[month - 1] ?? 0)));
  // Where the day of the week is given too, either of the two days will do.
  return comes || parts[4] !== "*" ? undefined : "this day never comes";
}

/** The values that a field of cron stands for: lists of numbers, ranges and `*`, the latter two with a step. */
function valuesOf(field: string, least: number, most: number): number[] | undefined {
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
export type StoredRange = RuleTime;
export const StoredRange = RuleTime;
