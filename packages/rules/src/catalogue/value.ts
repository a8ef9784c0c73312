import type { World } from "@ledge/model";
import { attribute, isDate, isExtra, rangesProblem, StoredRange, lazyValidator } from "@ledge/model";
import type { ValueField, ValueType } from "./field.ts";
import { valueTypes } from "./field.ts";

/** Types whose values are whole numbers. */
const integers: ReadonlySet<ValueType> = new Set(["TIME_DELTA_MS", "TIME_OF_DAY"]);
const dateForm = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the values of a field whose type this release knows; the others count as not given. */
export function understood<Value extends { readonly type: string }>(
  given: readonly Value[],
  { fieldType }: Pick<ValueField, "fieldType">,
): readonly Value[] {
  const isRange = fieldType === "TIME_RANGE";
  return given.filter(({ type }) => type === fieldType || (isRange && type === "RULETIME"));
}

/**
 * Returns why a typed value does not fit its field; undefined when it does, or when this release does not
 * know its type.
 */
export function valueProblem(
  given: { readonly type: string; readonly value?: unknown },
  field: ValueField,
  world: Pick<World, "get">,
): string | undefined {
  const { fieldType } = field;
  const { type, value } = given;
  if (!(valueTypes as readonly string[]).includes(type)) return undefined;
  if (fieldType === "TIME_RANGE") return rangeProblem(given);
  if (type !== fieldType) return `a ${fieldType} is wanted`;
  // All the others are numbers.
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check
  switch (fieldType) {
    case "BOOLEAN":
      return typeof value === "boolean" ? undefined : "value is true or false";
    case "OPTION":
      return typeof value === "string" && field.options?.includes(value)
        ? undefined
        : `value is one of ${field.options?.join(", ")}`;
    case "STRING":
      return typeof value === "string" ? undefined : "value is a text";
    case "ATTRIBUTE":
      return attributeProblem(value, field);
    case "DATE":
      return typeof value === "string" && dateForm.test(value) && isDate(value)
        ? undefined
        : "value is a date, yyyy-mm-dd";
    case "SCENE":
      if (typeof value !== "string") return "value is the id of a scene";
      return world.get("scene", value) === undefined ? `no scene ${value}` : undefined;
    case "WEEKDAYS":
      return weekdaysProblem(value);
    default:
      return numberProblem(value, field);
  }
}

const range = lazyValidator(StoredRange);

function rangeProblem(given: unknown): string | undefined {
  if (!range.Check(given)) {
    const [{ instancePath, message } = { instancePath: "", message: "" }] = range.Errors(given);
    return `${instancePath.slice(1).replaceAll("/", ".")} ${message}`.trim();
  }
  const problem = rangesProblem([given], "");
  return problem && `${(problem.field ?? "").replace(/^\.0\.?/, "")} ${problem.message}`.trim();
}

function numberProblem(value: unknown, { fieldType, minValue, maxValue }: ValueField): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "value is a number";
  if (integers.has(fieldType) && !Number.isInteger(value)) return "value is a whole number";
  if (minValue !== null && value < minValue) return `value is at least ${minValue}`;
  return maxValue !== null && value > maxValue ? `value is at most ${maxValue}` : undefined;
}

/** What an extra shows is only known of each device. */
function attributeProblem(value: unknown, { shows }: ValueField): string | undefined {
  if (typeof value !== "string") return "value is the name of an attribute";
  if (isExtra(value)) return undefined;
  const known = attribute(value);
  if (known === undefined) return `no attribute ${value}: for what only one model has, write extras.${value}`;
  const { type } = known.value as { readonly type?: string };
  const isTruth = type === "boolean";
  const isFit = shows === "boolean" ? isTruth : shows === "number" ? !isTruth && type !== "string" : !isTruth;
  return shows === undefined || isFit ? undefined : `${value} shows no ${shows}`;
}

function weekdaysProblem(value: unknown): string | undefined {
  const isDay = (day: unknown): boolean =>
    typeof day === "number" && Number.isInteger(day) && day >= 1 && day <= 7;
  const isList = Array.isArray(value) && value.every(isDay) && new Set(value).size === value.length;
  return isList ? undefined : "value is a list of days, 1 (Monday) to 7";
}
