import type { ClusterValues } from "./facts.ts";

/** Values from a device by name: of any type, unchecked. */
export type Values = Readonly<Record<string, unknown>>;

/** Values of a device by attribute (names and units: `attributes` of @ledge/model). */
export type AttributeValues = Readonly<Record<string, unknown>>;

/** Returns an integer in a range; undefined for any other value, including the invalid values of ZCL. */
export function integer(values: Values, name: string, least: number, most: number): number | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  const isOne = typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
  return isOne ? value : undefined;
}

/** Returns a number in a range; undefined for others, including NaN, which stands for an unknown value. */
export function real(values: Values, name: string, least: number, most: number): number | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return typeof value === "number" && value >= least && value <= most ? value : undefined;
}

/** Returns a ZCL boolean, which is 0 or 1, or true or false from some devices. */
export function flag(values: Values, name: string): boolean | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === 1 || value === true) return true;
  return value === 0 || value === false ? false : undefined;
}

/** Returns the values read of a cluster. */
export function valuesOf(values: ClusterValues | undefined, cluster: string): Values {
  return (values !== undefined && Object.hasOwn(values, cluster) ? values[cluster] : undefined) ?? {};
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Rounds to a number of decimals, without binary fraction digits. */
export function rounded(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}

/** Remembered values of a unit by attribute. */
export interface Memory {
  /** The last reported values, overlaid by commands since. */
  readonly before: Values;
  /** The last commanded values, whatever was reported since. */
  readonly told: Values;
}

/** Returns the remembered values that a device's rounded value may stand for. */
export function remembered({ told, before }: Memory, name: string): readonly unknown[] {
  return [told[name], before[name]];
}

/**
 * Returns the value of an attribute for a raw value. Devices round: a raw value that matches a remembered
 * value is that value.
 * @param meant the values that it may stand for, likeliest first
 * @param slack how far the raw values may differ
 */
export function kept(
  meant: readonly unknown[],
  raw: number,
  toRaw: (value: number) => number,
  fromRaw: (raw: number) => number,
  slack = 0,
): number {
  const isMeant = (value: unknown): value is number =>
    typeof value === "number" && Math.abs(toRaw(value) - raw) <= slack;
  return meant.find(isMeant) ?? fromRaw(raw);
}
