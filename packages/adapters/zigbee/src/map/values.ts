import type { Values } from "./cluster.ts";
import type { ClusterValues } from "./facts.ts";

/** A whole number in a range, of a value from the air; undefined for anything else, the invalid values of ZCL among it. */
export function integer(values: Values, name: string, least: number, most: number): number | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  const isOne = typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
  return isOne ? value : undefined;
}

/** A number in a range; a single-precision NaN, which stands for an unknown value, is none. */
export function real(values: Values, name: string, least: number, most: number): number | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return typeof value === "number" && value >= least && value <= most ? value : undefined;
}

/** ZCL booleans arrive as 0 and 1, and from some devices as true and false. */
export function flag(values: Values, name: string): boolean | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === 1 || value === true) return true;
  return value === 0 || value === false ? false : undefined;
}

/** What was read of a cluster. */
export function valuesOf(values: ClusterValues | undefined, cluster: string): Values {
  return (values !== undefined && Object.hasOwn(values, cluster) ? values[cluster] : undefined) ?? {};
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A number without the noise of binary fractions. */
export function rounded(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}

/** What is remembered of a unit, by attribute. */
export interface Memory {
  /** What the device said last, and over it what it was told since. */
  readonly before: Values;
  /** What it was told last, whatever it has said since. */
  readonly told: Values;
}

/** The values of an attribute that a device may mean. */
export function remembered({ told, before }: Memory, name: string): readonly unknown[] {
  return [told[name], before[name]];
}

/**
 * What a raw value says of an attribute. Devices round: what reads as a value that was written, or that was there,
 * is that value.
 * @param meant values that it may be, the likeliest first
 * @param slack how far the raw values may be apart
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
