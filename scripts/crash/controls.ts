// Logs without one of their safeguards. Each must be caught, or the suite shows nothing.
import type { Conditions } from "./process.ts";

export interface Control {
  readonly name: string;
  readonly conditions: Conditions;
}

/** Ordered by how soon they are caught. */
export const controls: readonly Control[] = [
  { name: "LMDB is not flushed", conditions: { unflushed: "data.mdb" } },
];
