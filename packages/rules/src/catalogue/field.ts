import type { Capability } from "@ledge/model";

/** A field of a template that is filled in with devices. */
export interface DeviceField {
  /** A device needs one of them; which it shows and does is that of them that it has first. */
  readonly capabilities: readonly Capability[];
  readonly min: number;
  readonly max: number;
  /** In the order in which they are given, and nothing else may be sorted by it. */
  readonly ordered?: true;
  /** All of the capabilities that a device has count (`View.measured`): one yes among them is a yes. */
  readonly every?: true;
}

/** Typed values of extras. A TIME_RANGE also stands where RULETIME may. */
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
] as const;
export type ValueType = (typeof valueTypes)[number];

/** A field of a template that is filled in with typed values. */
export interface ValueField {
  readonly fieldType: ValueType;
  readonly min: number;
  readonly max: number;
  /** Of the value itself; null where there is none. */
  readonly minValue: number | null;
  readonly maxValue: number | null;
  /** What holds while nothing is given: a value, a list of values where several may be given, or null for none. */
  readonly standard: unknown;
  /** Of an OPTION. */
  readonly options?: readonly string[];
  /** The input or output that it belongs to. */
  readonly for?: string;
}

/** Between `min` and `max` devices, each with one of the capabilities. */
export function devices(
  capabilities: readonly Capability[],
  min: number,
  max: number,
  ordered = false,
): DeviceField {
  return { capabilities, min, max, ...(ordered && { ordered }) };
}

/** Devices whose every capability counts: a detector of smoke that also smells carbon monoxide is heard of both. */
export function sensors(capabilities: readonly Capability[], min: number, max: number): DeviceField {
  return { capabilities, min, max, every: true };
}

type About = Pick<ValueField, "for">;

/** One number in the unit of its type, between two bounds; without a standard it may be left out. */
export function number(
  fieldType: Exclude<
    ValueType,
    "BOOLEAN" | "OPTION" | "STRING" | "TIME_RANGE" | "WEEKDAYS" | "DATE" | "SCENE"
  >,
  standard: number | null,
  minValue: number,
  maxValue: number,
  about: About = {},
): ValueField {
  return { fieldType, min: 0, max: 1, minValue, maxValue, standard, ...about };
}

/** A time span in ms. */
export function duration(
  standard: number | null,
  minValue: number,
  maxValue: number,
  about?: About,
): ValueField {
  return number("TIME_DELTA_MS", standard, minValue, maxValue, about);
}

export function flag(standard: boolean, about: About = {}): ValueField {
  return { fieldType: "BOOLEAN", min: 0, max: 1, minValue: null, maxValue: null, standard, ...about };
}

/** One of several words, the first of which is the standard. */
export function option(options: readonly string[], about: About = {}): ValueField {
  const [standard = null] = options;
  return { fieldType: "OPTION", min: 0, max: 1, minValue: null, maxValue: null, standard, options, ...about };
}

/** A text. */
export function words(): ValueField {
  return { fieldType: "STRING", min: 0, max: 1, minValue: null, maxValue: null, standard: null };
}

/** Minutes since midnight, local time. */
export function timeOfDay(standard: number | null, min = 0): ValueField {
  return { fieldType: "TIME_OF_DAY", min, max: 1, minValue: 0, maxValue: 1439, standard };
}

/** Days of the week, ISO 1 to 7 (Monday to Sunday), in one value; none are all. */
export function weekdays(): ValueField {
  return { fieldType: "WEEKDAYS", min: 0, max: 1, minValue: 1, maxValue: 7, standard: [] };
}

/** Time ranges; `standard` where none is given. */
export function ranges(min: number, max: number, standard: readonly object[] = []): ValueField {
  return { fieldType: "TIME_RANGE", min, max, minValue: null, maxValue: null, standard };
}

/** A date, `yyyy-mm-dd`, local time. */
export function date(): ValueField {
  return { fieldType: "DATE", min: 0, max: 1, minValue: null, maxValue: null, standard: null };
}

/** Ids of scenes. */
export function scenes(min: number, max: number): ValueField {
  return { fieldType: "SCENE", min, max, minValue: null, maxValue: null, standard: [] };
}
