import type { Values } from "@ledge/exposes";
import { integer } from "../values.ts";

/**
 * Returns multiplier / divisor as a device reports them; 1 for a missing or invalid one.
 * @param most the highest valid value of both
 */
export function factorOf(values: Values, multiplier: string, divisor: string, most: number): number {
  return (integer(values, multiplier, 1, most) ?? 1) / (integer(values, divisor, 1, most) ?? 1);
}

/** Converts a change to a device's own steps, at least one. */
export function steps(change: number, factor: number): number {
  return Math.max(1, Math.round(change / factor));
}

/** The least change of power (W) that is worth a report. */
export const powerChange = 5;
