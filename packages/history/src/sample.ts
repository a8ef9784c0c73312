import type { Origin } from "@ledge/model";

/** A reported value of one attribute of a device. */
export interface Sample {
  /** Timestamp of the commit (ms). */
  readonly timestamp: number;
  /** Index of the event within its commit. */
  readonly index: number;
  /** A JSON value. */
  readonly value: unknown;
  readonly origin: Origin;
}

/** Whether a value goes into a chunk of numbers. Null means that the device knows no value. */
export function isNumeric(value: unknown): value is number | null {
  return value === null || typeof value === "number";
}
