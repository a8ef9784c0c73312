import type { LoggedEvent, Origin } from "@ledge/model";

/** Limits how much each origin may add to the log. */
export interface Allowance {
  /** Returns how long (ms) the origin must wait before its next submission; 0 when it may go on. */
  wait(origin: Origin): number;
  /** Charges an origin for a submission, including everything that followed from it in the same commit. */
  spend(origin: Origin, events: readonly LoggedEvent[]): void;
}

/** An allowance without limits. */
export const unbounded: Allowance = { wait: () => 0, spend: () => {} };
