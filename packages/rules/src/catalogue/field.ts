import type { Capability } from "@ledge/model";

/** A field of a template that takes devices. */
export interface DeviceField {
  /** A device needs one of them; the first one that it has decides what it shows and does. */
  readonly capabilities: readonly Capability[];
  readonly min: number;
  readonly max: number;
  /** The order of the devices matters, so clients must not sort them. */
  readonly ordered?: true;
  /** All of these capabilities that a device has count (`View.measured`): one true reading makes it true. */
  readonly every?: true;
  /** The field of type ATTRIBUTE with the name of what counts of its devices, whatever they can do. */
  readonly by?: string;
}

/** The types of values in extras. A field of type TIME_RANGE also accepts RULETIME. */
export const valueTypes = [
  "TIME_DELTA_MS",
  "NUMBER",
  "PERCENT",
  "TEMPERATURE",
  "LUX",
  "POWER_W",
  "PPM",
  "PRICE",
  "BOOLEAN",
  "OPTION",
  "STRING",
  "TIME_OF_DAY",
  "WEEKDAYS",
  "TIME_RANGE",
  "DATE",
  "SCENE",
  "ATTRIBUTE",
] as const;
/** A type of values in extras. */
export type ValueType = (typeof valueTypes)[number];

/** What an attribute shows. */
export type Shows = "number" | "boolean" | "text";

/** A field of a template that takes typed values. */
export interface ValueField {
  readonly fieldType: ValueType;
  readonly min: number;
  readonly max: number;
  /** The limits of the value itself; null for none. */
  readonly minValue: number | null;
  readonly maxValue: number | null;
  /** The default: a value, a list when several may be given, or null for none. */
  readonly standard: unknown;
  /** The allowed words of an OPTION. */
  readonly options?: readonly string[];
  /** What an ATTRIBUTE must be able to show; any text can also show numbers. */
  readonly shows?: Shows;
  /** The input or output that it belongs to. */
  readonly for?: string;
}

/** The fields of a template, by name. */
export interface TemplateFields {
  readonly inputs: Readonly<Record<string, DeviceField>>;
  readonly outputs: Readonly<Record<string, DeviceField>>;
  readonly extras: Readonly<Record<string, ValueField>>;
  /** The field whose devices each have a machine of their own: `view.each` in its steps. */
  readonly each?: string;
}

/** A field for `min` to `max` devices, each with one of the capabilities. */
export function devices(
  capabilities: readonly Capability[],
  min: number,
  max: number,
  ordered = false,
): DeviceField {
  return { capabilities, min, max, ...(ordered && { ordered }) };
}

/**
 * A field for sensors whose capabilities all count: a smoke detector that also measures carbon monoxide is
 * heard for both.
 */
export function sensors(capabilities: readonly Capability[], min: number, max: number): DeviceField {
  return { capabilities, min, max, every: true };
}

/** A field for devices of any kind, of which the attribute counts that the field `by` names. */
export function watched(by: string, min: number, max: number): DeviceField {
  return { capabilities: ["DEVICE"], min, max, by };
}

/** A field for the name of an attribute, such as `humidity` or, for what only one model has, `extras.x_axis`. */
export function attributeName(shows: Shows, about: About = {}): ValueField {
  return {
    fieldType: "ATTRIBUTE",
    min: 1,
    max: 1,
    minValue: null,
    maxValue: null,
    standard: null,
    shows,
    ...about,
  };
}

type About = Pick<ValueField, "for">;

/** A field for one number in the unit of its type, between two limits; without a default it is optional. */
export function number(
  fieldType: Exclude<
    ValueType,
    "BOOLEAN" | "OPTION" | "STRING" | "ATTRIBUTE" | "TIME_RANGE" | "WEEKDAYS" | "DATE" | "SCENE"
  >,
  standard: number | null,
  minValue: number,
  maxValue: number,
  about: About = {},
): ValueField {
  return { fieldType, min: 0, max: 1, minValue, maxValue, standard, ...about };
}

/** A field for a time span in ms. */
export function duration(
  standard: number | null,
  minValue: number,
  maxValue: number,
  about?: About,
): ValueField {
  return number("TIME_DELTA_MS", standard, minValue, maxValue, about);
}

/** A field for yes or no. */
export function flag(standard: boolean, about: About = {}): ValueField {
  return { fieldType: "BOOLEAN", min: 0, max: 1, minValue: null, maxValue: null, standard, ...about };
}

/** A field for one of several words; the first is the default. */
export function option(options: readonly string[], about: About = {}): ValueField {
  const [standard = null] = options;
  return { fieldType: "OPTION", min: 0, max: 1, minValue: null, maxValue: null, standard, options, ...about };
}

/** A field for a text. */
export function words(min = 0, max = 1): ValueField {
  return { fieldType: "STRING", min, max, minValue: null, maxValue: null, standard: null };
}

/** A field for a time of day: minutes since midnight, local time. */
export function timeOfDay(standard: number | null, min = 0): ValueField {
  return { fieldType: "TIME_OF_DAY", min, max: 1, minValue: 0, maxValue: 1439, standard };
}

/** A field for days of the week in one value, ISO 1 to 7 (Monday to Sunday); empty means all. */
export function weekdays(): ValueField {
  return { fieldType: "WEEKDAYS", min: 0, max: 1, minValue: 1, maxValue: 7, standard: [] };
}

/** A field for time ranges; `standard` is the default. */
export function ranges(min: number, max: number, standard: readonly object[] = []): ValueField {
  return { fieldType: "TIME_RANGE", min, max, minValue: null, maxValue: null, standard };
}

/** A field for a date, `yyyy-mm-dd`, local time. */
export function date(): ValueField {
  return { fieldType: "DATE", min: 0, max: 1, minValue: null, maxValue: null, standard: null };
}

/** A field for ids of scenes. */
export function scenes(min: number, max: number): ValueField {
  return { fieldType: "SCENE", min, max, minValue: null, maxValue: null, standard: [] };
}
