// The hub answers one question about the past of a user at a time, and refuses another meanwhile.
import { type Answer, unanswered } from "./call.ts";

let last: Promise<unknown> = Promise.resolve();

/** Asks when all earlier questions of the page are answered. Nobody hears an answer to a question that is given up. */
export function inTurn<T>(ask: () => Promise<Answer<T>>, signal: AbortSignal): Promise<Answer<T>> {
  const next = last.then(() => (signal.aborted ? unanswered(0) : ask()));
  // One that throws keeps no other waiting.
  last = next.catch(() => undefined);
  return next;
}
