// Logs without one of their safeguards. Each must be caught, or the suite shows nothing.
import type { Conditions } from "./process.ts";
import type { Writing } from "./scenarios.ts";
import type { Sabotage } from "./sabotage.ts";

export interface Control {
  readonly name: string;
  /** Under which the log is written. */
  readonly writing: Writing;
  /** Under which what is left is opened. */
  readonly looking: Conditions;
}

/** How a region is begun anew while what stood there is on its way to LMDB. */
const recycledEarly: Sabotage = {
  file: "log/src/journal/ring.ts",
  find: "if (this.oldest > moved) return undefined;",
  replace: "",
};

/** How what stands in the journal and in LMDB, or in neither, is taken as it comes. */
const unchecked: readonly Sabotage[] = [
  {
    file: "log/src/journal/recovery.ts",
    find: ".filter(({ last }) => last.sequence > tail.sequence)",
    replace: "",
  },
  {
    file: "log/src/journal/recovery.ts",
    find: "const problem = breakBetween(end, block);",
    replace: "const problem = undefined;",
  },
];

/** Two more would not be caught and are left out: a fast mover that recycles early, and no check of the epoch. */
export const controls: readonly Control[] = [
  { name: "the journal is not flushed", writing: { unflushed: "journal" }, looking: {} },
  { name: "LMDB is not flushed", writing: { unflushed: "data.mdb" }, looking: {} },
  {
    name: "a region is recycled before LMDB is flushed",
    // Long enough for the journal to come round while the mover waits.
    writing: {
      slow: ["data.mdb", 60_000],
      sabotage: [recycledEarly],
      killAt: 2500,
      sessions: 1,
      isSteady: true,
    },
    looking: {},
  },
  { name: "no sequence check", writing: {}, looking: { sabotage: unchecked } },
];
