import type { Values } from "@ledge/exposes";
import type { ClusterValues } from "./facts.ts";

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

/** Rounds to a number of decimals, without binary fraction digits. */
export function rounded(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}
