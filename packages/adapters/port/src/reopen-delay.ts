const leastMs = 500;

/**
 * Returns how long to wait before what was lost is opened again, ms: half a second, and twice as long after each failure.
 * @param attempt 0 after it was lost, 1 after the first failed attempt, and so on
 * @param chance 0..1, varies the delay by a quarter, so that all that hung on one thing does not come back at once
 * @param mostMs the longest delay before it is varied
 */
export function reopenDelay(attempt: number, chance: number, mostMs = 30_000): number {
  const base = Math.min(mostMs, leastMs * 2 ** Math.min(attempt, 10));
  return Math.round(base * (0.75 + chance / 2));
}
