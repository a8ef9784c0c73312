import Type from "typebox";
import { lazyValidator } from "./lazy-validator.ts";
import type { Cadence } from "./capability.ts";
import { limits } from "./limits.ts";
import { orNull } from "./schema.ts";

const Word = Type.String({ maxLength: limits.stateExtraTextChars });
const Option = Type.Union([Word, Type.Number()]);

/** A value of an extra. */
export type ExtraValue = boolean | number | string;

/**
 * What an adapter says of something that a device shows or takes and for which the model has no attribute.
 * Its attribute in reports and commands is `extras.<name>`; names of parts of a whole have dots.
 */
export const ExtraDescription = Type.Object({
  name: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]*$", maxLength: limits.stateExtraNameChars }),
  fieldType: Type.Enum(["BOOL", "NUMBER", "TEXT", "OPTION"]),
  unit: orNull(Word),
  writable: Type.Boolean(),
  /** A command, not a state: its value stays null. */
  momentary: Type.Optional(Type.Literal(true)),
  /** The values that a command may have. */
  minValue: Type.Optional(Type.Number()),
  maxValue: Type.Optional(Type.Number()),
  options: Type.Optional(Type.Array(Option, { maxItems: limits.stateExtraOptions })),
});
type Description = Type.Static<typeof ExtraDescription>;
export type ExtraDescription = Readonly<Omit<Description, "options">> & {
  readonly options?: readonly (string | number)[];
};

/** An extra as the API shows it in the `extras` of a device's state; its value is null until it is known. */
export type Extra = ExtraDescription & { readonly value: ExtraValue | null };
/** Extras by name. */
export type Extras = Readonly<Record<string, Extra>>;

const prefix = "extras.";
const descriptions = lazyValidator(Type.Array(ExtraDescription, { maxItems: limits.stateExtras }));

type State = Readonly<Record<string, unknown>>;

/** Returns the attribute of an extra, such as `extras.x_axis`. */
export function extraAttribute(name: string): string {
  return prefix + name;
}

/** Returns whether an attribute is that of an extra. */
export function isExtra(attribute: string): boolean {
  return attribute.startsWith(prefix);
}

/** Returns the extra behind an attribute of a device's state; undefined when the device has none such. */
export function extraOf(state: State, attribute: string): Extra | undefined {
  // Most devices have none, and every report and command asks.
  const extras = state["extras"] as Extras | undefined;
  if (extras === undefined || !isExtra(attribute)) return undefined;
  const name = attribute.slice(prefix.length);
  return Object.hasOwn(extras, name) ? extras[name] : undefined;
}

/** Returns what a device's state shows for an attribute, also for an extra; undefined for nothing. */
export function shownIn(state: State, attribute: string): unknown {
  // A rule that explains itself names everything that it has read, so nothing else is read.
  if (!isExtra(attribute)) return state[attribute];
  return extraOf(state, attribute)?.value ?? undefined;
}

/** Returns a state with new values of attributes, some of which may be extras. */
export function withShown(state: State, values: State): Record<string, unknown> {
  if (state["extras"] === undefined) return { ...state, ...values };
  const shown: Record<string, unknown> = { ...state };
  const extras: Record<string, Extra> = {};
  for (const [name, value] of Object.entries(values)) {
    const extra = extraOf(state, name);
    if (extra !== undefined) extras[extra.name] = { ...extra, value: value as ExtraValue };
    else if (!isExtra(name)) shown[name] = value;
  }
  return { ...shown, extras: { ...(state["extras"] as Extras), ...extras } };
}

/** Returns how reports of an extra are handled: each change of a truth counts, of others the newest value. */
export function extraCadence(value: unknown): Cadence {
  return typeof value === "boolean" ? "pulse" : "level";
}

/** Returns the extras of a described device: those that it had before keep their values. */
export function describedExtras(
  described: readonly ExtraDescription[],
  before: Extras | undefined,
): Extras | undefined {
  if (described.length === 0) return undefined;
  return Object.fromEntries(
    described.map((each) => {
      const known = before !== undefined && Object.hasOwn(before, each.name) ? before[each.name] : undefined;
      const value = known !== undefined && isReadable(each, known.value) ? known.value : null;
      return [each.name, { ...each, value }];
    }),
  );
}

/** Returns whether a report of an extra may have a value. */
export function isReadable(extra: ExtraDescription | undefined, value: unknown): value is ExtraValue {
  return extra !== undefined && extra.momentary !== true && isOfKind(extra, value);
}

function isOfKind({ fieldType }: ExtraDescription, value: unknown): value is ExtraValue {
  const isText = typeof value === "string" && value.length <= limits.stateExtraTextChars;
  const isNumber = typeof value === "number" && Number.isFinite(value);
  if (fieldType === "BOOL") return typeof value === "boolean";
  if (fieldType === "NUMBER") return isNumber;
  return fieldType === "TEXT" ? isText : isText || isNumber;
}

/** Returns whether a command may set an extra to a value. */
export function isWritable(extra: ExtraDescription, value: unknown): boolean {
  const { fieldType, minValue = -Infinity, maxValue = Infinity, options = [] } = extra;
  if (!isOfKind(extra, value)) return false;
  if (fieldType === "OPTION") return options.includes(value as string | number);
  return typeof value !== "number" || (value >= minValue && value <= maxValue);
}

/** Returns what is wrong with an adapter's description of extras; undefined when nothing is. */
export function extrasProblem(described: unknown): string | undefined {
  if (!descriptions.Check(described)) {
    const [error] = descriptions.Errors(described);
    return `invalid extras: ${error?.instancePath} ${error?.message}`;
  }
  const names = new Set(described.map(({ name }) => name));
  if (names.size < described.length) return "two extras have one name";
  const chars = JSON.stringify(described).length;
  if (chars <= limits.stateExtrasChars) return undefined;
  return `the extras have more than ${limits.stateExtrasChars} characters`;
}

/**
 * Returns a requested state with its extras under their attributes. Of extras as they were read, which clients
 * send back, it keeps those whose values have changed.
 */
export function withFlatExtras(state: State, requested: State): State {
  const asked = requested["extras"];
  if (typeof asked !== "object" || asked === null) return requested;
  const { extras: _, ...rest } = requested;
  const flat: Record<string, unknown> = { ...rest };
  for (const [name, given] of Object.entries(asked)) {
    const attribute = extraAttribute(name);
    if (typeof given !== "object" || given === null) flat[attribute] = given;
    else if (given.value !== extraOf(state, attribute)?.value) flat[attribute] = given.value;
  }
  return flat;
}
