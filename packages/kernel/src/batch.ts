import type { LoggedEvent } from '@ledge/model';
import type { Continuation } from './decide.ts';
import type { Overlay } from './layer.ts';
import type { Outcome } from './submission.ts';

/** A promise of an outcome, given back when the batch's commit ends one way or the other. */
export interface Waiting {
  readonly outcome: Outcome;
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

/** What becomes durable together: decided already, not yet on disk. */
export interface Batch {
  readonly timestamp: number;
  /** What the batch shows over the commit in flight, or over the published state. */
  readonly overlay: Overlay;
  readonly events: LoggedEvent[];
  readonly waiting: Waiting[];
  readonly continuations: Continuation[];
  reactionsLeft: number;
  /** No more company is waited for. */
  sealed: boolean;
}
