// Logs without one of their safeguards. Each must be caught, or the suite shows nothing.
import type { Conditions } from "./process.ts";

export interface Control {
  readonly name: string;
  /** Under which the log is written. */
  readonly writing: Conditions;
  /** Under which what is left is opened. */
  readonly looking: Conditions;
}

/** Ordered by how soon they are caught. */
export const controls: readonly Control[] = [
  { name: "LMDB is not flushed", writing: { unflushed: "data.mdb" }, looking: {} },
];
