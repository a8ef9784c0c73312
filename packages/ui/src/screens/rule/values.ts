import type { RuleConfig, TimeRange } from "@ledge/model";
import { clockIn, clockOfMinutes } from "../../format.ts";
import { newRange } from "../../parts/time-range.ts";
import type { ValueField } from "./fields.ts";

/** A value of a CONFIG as it is sent: `type` says what else it holds. */
export type Typed = RuleConfig["extras"][string][number];

/** How a value is edited. */
export type Editor =
  | "duration"
  | "range"
  | "time"
  | "weekdays"
  | "date"
  | "number"
  | "option"
  | "scene"
  | "check"
  | "text"
  | "attribute"
  | "json";

const editors = new Map<string, Editor>(
  Object.entries({
    TIME_DELTA_MS: "duration",
    TIME_RANGE: "range",
    TIME_OF_DAY: "time",
    WEEKDAYS: "weekdays",
    DATE: "date",
    LUX: "number",
    PERCENT: "number",
    TEMPERATURE: "number",
    PPM: "number",
    POWER_W: "number",
    PRICE: "number",
    NUMBER: "number",
    OPTION: "option",
    SCENE: "scene",
    BOOLEAN: "check",
    STRING: "text",
    ATTRIBUTE: "attribute",
  } satisfies Readonly<Record<string, Editor>>),
);

/** Returns how values of a type are edited; as JSON if the interface does not know the type. */
export function editorOf(type: string): Editor {
  return editors.get(type) ?? "json";
}

/** Units of a time span, the longest first (ms). */
export const spans = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000 } as const;
export type Span = keyof typeof spans;

/** A time span as it is typed. */
export interface DurationEntry {
  readonly amount: string;
  readonly unit: Span;
}

/** What a form holds of a value. A text that is no JSON yet is kept as it is. */
export type Entry =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "check"; readonly isOn: boolean }
  | { readonly kind: "duration"; readonly of: DurationEntry }
  | { readonly kind: "days"; readonly days: readonly number[] }
  | { readonly kind: "range"; readonly range: TimeRange }
  | { readonly kind: "json"; readonly text: string };

const text = (of: string): Entry => ({ kind: "text", text: of });

/** Returns what the form shows of a value; of another type than the field's, and of a cron, its JSON. */
export function entryOf({ type }: Pick<ValueField, "type">, given: Typed): Entry {
  const editor = given.type === type ? editorOf(type) : "json";
  const { value } = given as { readonly value?: unknown };
  if (editor === "range" && "weekdays" in given)
    return { kind: "range", range: given as unknown as TimeRange };
  if (editor === "weekdays" && Array.isArray(value)) return { kind: "days", days: value as number[] };
  if (editor === "check" && typeof value === "boolean") return { kind: "check", isOn: value };
  if (editor === "duration" && typeof value === "number") return { kind: "duration", of: durationOf(value) };
  if (editor === "time" && typeof value === "number") return text(clockOfMinutes(value));
  if (editor === "number" && typeof value === "number") return text(String(shown(type, value)));
  if (["option", "scene", "date", "text", "attribute"].includes(editor) && typeof value === "string")
    return text(value);
  return { kind: "json", text: JSON.stringify(given) };
}

/** Returns what the form shows of a value that nobody has given. */
export function emptyEntry({ type, least, min }: Pick<ValueField, "type" | "least" | "min">): Entry {
  // The others are a text each.
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check
  switch (editorOf(type)) {
    case "duration":
      return { kind: "duration", of: { amount: "", unit: durationOf(least ?? spans.min).unit } };
    case "check":
      return { kind: "check", isOn: false };
    case "weekdays":
      return { kind: "days", days: [] };
    case "range":
      return { kind: "range", range: newRange };
    case "json":
      return { kind: "json", text: min === 0 ? "" : JSON.stringify({ type, value: null }) };
    default:
      return text("");
  }
}

/** What is wrong with an entry: the key of a text, and the limit that it names. */
export type Problem =
  | { readonly kind: "number" | "time" | "date" | "json" | "missing" }
  | { readonly kind: "least" | "most"; readonly limit: number };

/** Returns the value that an entry stands for; null for an empty one. */
export function valueOf(field: ValueField, entry: Entry): Typed | Problem | null {
  const { type } = field;
  const typed = (value: unknown): Typed => ({ type, value }) as Typed;
  switch (entry.kind) {
    case "check":
      return typed(entry.isOn);
    case "days":
      return typed(entry.days.toSorted((a, b) => a - b));
    case "range":
      return entry.range;
    case "duration":
      return durationIn(field, entry.of);
    case "json":
      return entry.text.trim() === "" ? null : jsonIn(entry.text);
    case "text":
      break;
  }
  const words = entry.text.trim();
  if (words === "") return null;
  const editor = editorOf(type);
  if (editor === "number") return numberIn(field, words);
  if (editor === "date") return /^\d{4}-\d{2}-\d{2}$/.test(words) ? typed(words) : { kind: "date" };
  if (editor !== "time") return typed(words);
  const minutes = clockIn(words);
  return minutes === undefined ? { kind: "time" } : typed(minutes);
}

/** Whether the answer of `valueOf` says what is wrong. */
export function isProblem(found: Typed | Problem | null): found is Problem {
  return found !== null && "kind" in found && !("type" in found);
}

function jsonIn(source: string): Typed | Problem {
  try {
    const value = JSON.parse(source) as unknown;
    const isTyped = typeof value === "object" && value !== null && "type" in value;
    return isTyped && typeof value.type === "string" ? (value as Typed) : { kind: "json" };
  } catch {
    return { kind: "json" };
  }
}

/** A part of 1 is shown in percent, without what floating point adds. */
function shown(type: string, value: number): number {
  return type === "PERCENT" ? Number((value * 100).toFixed(6)) : value;
}

function numberIn({ type, least, most }: ValueField, words: string): Typed | Problem {
  const number = amountIn(words);
  if (number === undefined) return { kind: "number" };
  const value = type === "PERCENT" ? Number((number / 100).toFixed(8)) : number;
  if (least !== null && value < least) return { kind: "least", limit: shown(type, least) };
  if (most !== null && value > most) return { kind: "most", limit: shown(type, most) };
  return { type, value } as Typed;
}

function durationIn(
  { type, least, most }: ValueField,
  { amount, unit }: DurationEntry,
): Typed | Problem | null {
  if (amount.trim() === "") return null;
  const number = amountIn(amount);
  if (number === undefined) return { kind: "number" };
  const value = Math.round(number * spans[unit]);
  if (least !== null && value < least) return { kind: "least", limit: least };
  if (most !== null && value > most) return { kind: "most", limit: most };
  return { type, value } as Typed;
}

/** Returns a number as people type it, with a comma or a point. */
function amountIn(words: string): number | undefined {
  const digits = words.trim().replace(",", ".");
  return /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(digits) ? Number(digits) : undefined;
}

/** Returns a time span (ms) in the longest unit that shows it whole. */
export function durationOf(ms: number): DurationEntry {
  const units = Object.keys(spans) as Span[];
  const unit = ms === 0 ? "s" : (units.find((each) => ms % spans[each] === 0) ?? "s");
  return { amount: String(ms / spans[unit]), unit };
}

/** Returns the default of a field as the values that a new rule begins with. */
export function standardsOf({ type, standard }: Pick<ValueField, "type" | "standard">): readonly Typed[] {
  // Days are one value that is a list.
  const all =
    editorOf(type) === "weekdays" || !Array.isArray(standard) ? [standard] : (standard as unknown[]);
  return all
    .filter((value) => value !== null && value !== undefined)
    .map((value) => (typeOf(value) === undefined ? ({ type, value } as Typed) : (value as Typed)));
}

function typeOf(value: unknown): string | undefined {
  const isTyped = typeof value === "object" && value !== null && "type" in value;
  return isTyped && typeof value.type === "string" ? value.type : undefined;
}
