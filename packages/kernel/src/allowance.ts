import type { LoggedEvent, Origin } from "@ledge/model";

/** Bounds what those who submit may add to the log. */
export interface Allowance {
  /** How long (ms) nothing more is taken from an origin; 0 while it may go on. */
  wait(origin: Origin): number;
  /** What a submission of an origin has come to, with all that followed in its commit. */
  spend(origin: Origin, events: readonly LoggedEvent[]): void;
}

/** Everybody may add as much as they like. */
export const unbounded: Allowance = { wait: () => 0, spend: () => {} };
