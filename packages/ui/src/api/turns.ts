// The hub answers one question about the past of a user at a time, and refuses another meanwhile.
import { type Answer, call, type Request, unanswered } from "./call.ts";

let last: Promise<unknown> = Promise.resolve();

/** Asks when all earlier questions of the page are answered. Nobody hears an answer to a question that is given up. */
export function inTurn<T>(ask: () => Promise<Answer<T>>, signal: AbortSignal): Promise<Answer<T>> {
  const next = last.then(() => (signal.aborted ? unanswered(0) : ask()));
  // One that throws keeps no other waiting.
  last = next.catch(() => undefined);
  return next;
}

/** Longer than the hub takes at most (ms): on a busy machine its thread starts in 20 s, and looks a change up in 12. */
const patienceMs = 60_000;

/** Calls a row that reads the past, when all earlier questions of the page are answered. A failure is a value. */
export function askPast<T>(path: string, request: Request): Promise<Answer<T>> {
  const { signal = new AbortController().signal } = request;
  return inTurn(() => call(path, { timeoutMs: patienceMs, ...request }), signal);
}
