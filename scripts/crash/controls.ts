// Controls: logs without one of their safeguards. The suite must catch each of them, or it proves nothing.
import type { Conditions } from "./process.ts";
import type { Writing } from "./scenarios.ts";
import type { Sabotage } from "./sabotage.ts";

export interface Control {
  readonly name: string;
  /** The conditions while the log is written. */
  readonly writing: Writing;
  /** The conditions while the remains are opened. */
  readonly looking: Conditions;
}

/** Lets a region be overwritten while its blocks are still on their way to LMDB. */
const recycledEarly: Sabotage = {
  file: "log/src/journal/ring.ts",
  find: "if (this.oldest > moved) return undefined;",
  replace: "",
};

/** Accepts blocks that are in both the journal and LMDB, or in neither. */
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

/**
 * Two more controls would not be caught and are left out: a fast mover that recycles early, and no check of the
 * epoch.
 */
export const controls: readonly Control[] = [
  { name: "the journal is not flushed", writing: { unflushed: "journal" }, looking: {} },
  { name: "LMDB is not flushed", writing: { unflushed: "data.mdb" }, looking: {} },
  {
    name: "a region is recycled before LMDB is flushed",
    // Long enough for the journal to come round while the mover waits, also on a busy machine.
    writing: {
      slow: ["data.mdb", 400_000],
      sabotage: [recycledEarly],
      killAt: 2500,
      sessions: 1,
      isSteady: true,
    },
    looking: {},
  },
  { name: "no sequence check", writing: {}, looking: { sabotage: unchecked } },
];
