import type { Place } from "./place.ts";

/** When a range begins to hold, or ceases to. One that holds and begins anew has a `start` too. */
export interface Edge {
  readonly at: number;
  readonly edge: "start" | "stop";
}

/** How a range is at an instant: since when it holds, null when it does not, and when its first edge behind that is. */
export interface RangeState {
  readonly since: number | null;
  readonly next: number | null;
}

/** A time range in a form that answers. */
export interface CompiledRange {
  stateAt(at: number, place: Place): RangeState;
  /** The newest edge at or before an instant. */
  edgeBefore(at: number, place: Place): Edge | null;
}
