import type { Outcome } from "./answer.ts";

/** Counts what was sent to targets since the start. */
export class EgressFigures {
  /** Requests by their outcome. */
  readonly requests: Record<Outcome, number> = { taken: 0, later: 0, refused: 0, gone: 0 };
  /** Events that receivers have taken. */
  events = 0;
  /** Batches that became dead letters. */
  deadLetters = 0;
  /** Events that were deleted before every target had them, because there were too many or they were too old. */
  lost = 0;

  count(outcome: Outcome, events: number): void {
    this.requests[outcome]++;
    this.events += events;
  }
}
