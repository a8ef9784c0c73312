import type { Place } from "./place.ts";

/** The instant at which a range starts or stops. A range that starts again while it holds has a `start` too. */
export interface Edge {
  readonly at: number;
  readonly edge: "start" | "stop";
}

/**
 * The state of a range at an instant: since when it holds (null when it does not), and its first edge after
 * that instant.
 */
export interface RangeState {
  readonly since: number | null;
  readonly next: number | null;
}

/** A time range that is ready to be asked. */
export interface CompiledRange {
  stateAt(at: number, place: Place): RangeState;
  /** Returns the newest edge at or before an instant. */
  edgeBefore(at: number, place: Place): Edge | null;
}
