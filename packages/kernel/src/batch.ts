import type { LoggedEvent } from "@ledge/model";
import type { Continuation } from "@ledge/model";
import type { Decided } from "./decide.ts";
import { Overlay } from "./layer.ts";
import type { Layer } from "./layer.ts";
import type { Outcome, Submission } from "./submission.ts";

/** Where the answer to a submission goes. */
export interface Waiting {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

/** A submission that is not decided yet. */
export interface Queued extends Waiting {
  readonly submission: Submission;
}

/** A submission that is decided and waits for its commit to end one way or the other. */
export interface Answer extends Waiting {
  readonly decided: Pick<Decided, "refused" | "results">;
}

/** What becomes durable together: decided already, not yet on disk. */
export interface Batch {
  readonly timestamp: number;
  /** What the batch shows over the commit in flight, or over the published state. */
  readonly overlay: Overlay;
  readonly events: LoggedEvent[];
  readonly answers: Answer[];
  /** Commands that it did not take, and that no event holds yet. */
  readonly continuations: Continuation[];
  /** Ids of the cascades that events of it hold, which are to be carried on. */
  readonly cut: string[];
  /** Ids of the cascades that it carries on. */
  readonly carriedOn: string[];
  /** How many more commands of reactions it takes. */
  reactionsLeft: number;
  /** No more company is waited for. */
  sealed: boolean;
}

/** A batch that nothing has been decided into. */
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

/** The answer to a submission. @param timestamp of the commit, or the newest published when nothing changed. */
export function outcomeOf({ refused, results }: Answer["decided"], timestamp: number): Outcome {
  return refused === undefined ? { accepted: true, timestamp, results } : { accepted: false, ...refused };
}
