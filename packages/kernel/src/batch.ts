import type { LoggedEvent } from "@ledge/model";
import type { Continuation } from "@ledge/model";
import type { Decided } from "./decide.ts";
import { Overlay } from "./layer.ts";
import type { Layer } from "./layer.ts";
import type { Outcome, Submission } from "./submission.ts";

/** The promise that waits for the answer to a submission. */
export interface Waiting {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

/** A submission that is not yet decided. */
export interface Queued extends Waiting {
  readonly submission: Submission;
}

/** A decided submission that waits for its commit to succeed or fail. */
export interface Answer extends Waiting {
  readonly decided: Pick<Decided, "refused" | "results">;
}

/** The submissions of one commit: decided, but not yet on disk. */
export interface Batch {
  readonly timestamp: number;
  /** The changes of the batch over the commit in flight, or over the published state. */
  readonly overlay: Overlay;
  readonly events: LoggedEvent[];
  readonly answers: Answer[];
  /** Commands of reactions that did not fit, and that no event holds yet. */
  readonly continuations: Continuation[];
  /** Ids of the cascades that events of this batch hold for later. */
  readonly cut: string[];
  /** Ids of the cascades that this batch carries on. */
  readonly carriedOn: string[];
  /** How many more commands of reactions it can take. */
  reactionsLeft: number;
  /** Whether the batch no longer waits for further submissions. */
  sealed: boolean;
}

/** Returns a batch without submissions. */
export function emptyBatch(timestamp: number, below: Layer, reactionsLeft: number): Batch {
  const overlay = new Overlay(below);
  return {
    timestamp,
    overlay,
    events: [],
    answers: [],
    continuations: [],
    cut: [],
    carriedOn: [],
    reactionsLeft,
    sealed: false,
  };
}

/**
 * Returns the answer to a submission.
 * @param timestamp of the commit, or the newest published when nothing changed.
 */
export function outcomeOf({ refused, results }: Answer["decided"], timestamp: number): Outcome {
  return refused === undefined ? { accepted: true, timestamp, results } : { accepted: false, ...refused };
}
