/** How fast the interface asks the hub (ms). */
export const pace = {
  /** How long the hub may hold a poll until it has something to tell. */
  wait: 25_000,
  /** Between polls of a hub that holds none. */
  idle: 2000,
  /** The same for a while after a command, because its outcome is on its way. */
  soon: 500,
  soonFor: 5000,
  firstRetry: 250,
  lastRetry: 10_000,
} as const;

/** An answer that came sooner was not held by the hub. */
const heldFrom = 1000;

/** What is known of a hub's polls; undefined: whether it holds them is not known yet. */
export type Holds = boolean | undefined;

/**
 * Returns whether the hub holds polls, judged by one answer.
 * @param took duration of the request (ms) @param isIdle whether the answer told nothing
 */
export function holdsPolls(known: Holds, took: number, isIdle: boolean): Holds {
  if (isIdle) return took >= heldFrom;
  return known;
}

/** Returns how long to wait for the next poll (ms). @param sinceCommand ms since the last command */
export function nextPoll(holds: Holds, sinceCommand: number): number {
  if (holds === true) return 0;
  return sinceCommand < pace.soonFor ? pace.soon : pace.idle;
}

/**
 * Returns how long to wait before the next attempt (ms): 0.25 s doubled up to 10 s, less up to half of it.
 * @param failures in a row, from 1 @param random 0 to 1
 */
export function nextRetry(failures: number, random: number): number {
  const whole = Math.min(pace.lastRetry, pace.firstRetry * 2 ** Math.min(failures - 1, 16));
  return whole * (1 - random / 2);
}
