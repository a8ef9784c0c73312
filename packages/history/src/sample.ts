import type { Origin } from "@ledge/model";

/** What a device reported of one attribute. */
export interface Sample {
  /** Of the commit (ms). */
  readonly timestamp: number;
  /** Of the event within its commit. */
  readonly index: number;
  /** A JSON value. */
  readonly value: unknown;
  readonly origin: Origin;
}

/** Whether a value goes among numbers: null says that the device knows none. */
export function isNumeric(value: unknown): value is number | null {
  return value === null || typeof value === "number";
}
