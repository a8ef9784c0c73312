import type { Breathe } from "./read-poll.ts";

/** How fast the interface asks the hub (ms). */
export const pace = {
  /** How long the hub may hold a poll until it has something to tell. */
  wait: 25_000,
  /** Polls that follow one another at once, and the pause of more: two busy pages of a user keep the hub's limit. */
  burst: 20,
  every: 250,
  /** How many polls after a command follow at once although the burst is used up, while a report is on its way. */
  hurried: 2,
  hurriedFor: 1000,
  /** Between polls that the hub does not hold. */
  idle: 2000,
  /** The same for a while after a command, because its outcome is on its way. */
  soon: 500,
  soonFor: 5000,
  firstRetry: 250,
  lastRetry: 10_000,
} as const;

/** How long the page works on an answer before it has another turn. */
const workMs = 8;

/** Returns a function that has `turn` taken when the last one was a while ago. @param now monotonic, ms */
export function createBreath(now: () => number, turn: () => Promise<void>): Breathe {
  let last = -Infinity;
  return () => {
    if (now() - last < workMs) return undefined;
    return turn().then(() => void (last = now()));
  };
}

/** An idle answer that came sooner was not held by the hub. */
const heldFrom = 1000;

/**
 * Returns how long to wait for the next poll (ms): none, unless the hub had nothing to tell and did not hold the poll,
 * as an older one, or one that has no place for more who wait.
 * @param took duration of the request (ms) @param isIdle whether the answer told nothing
 * @param sinceCommand ms since the last command
 */
export function nextPoll(took: number, isIdle: boolean, sinceCommand: number): number {
  if (!isIdle || took >= heldFrom) return 0;
  return sinceCommand < pace.soonFor ? pace.soon : pace.idle;
}

/**
 * Returns a function that takes a place for a poll at a time (ms), and says how long the poll has to wait for it (ms):
 * so many polls may come at once, then one each `everyMs`. A hub that always has news is not asked without end. Nobody waits
 * longer than `everyMs`, also after polls that did not wait for theirs.
 */
export function createBudget(burst: number, everyMs: number): (now: number) => number {
  let next = -Infinity;
  return (now) => {
    next = Math.min(Math.max(next, now), now + burst * everyMs) + everyMs;
    return Math.max(0, next - now - burst * everyMs);
  };
}

/**
 * Returns how long to wait before the next attempt (ms): 0.25 s doubled up to 10 s, less up to half of it.
 * @param failures in a row, from 1 @param random 0 to 1
 */
export function nextRetry(failures: number, random: number): number {
  const whole = Math.min(pace.lastRetry, pace.firstRetry * 2 ** Math.min(failures - 1, 16));
  return whole * (1 - random / 2);
}
