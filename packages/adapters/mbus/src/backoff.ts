const reopenMs = { least: 500, most: 60_000 };
const retryMs = 30_000;

/**
 * Returns how long to wait before a bus is opened again, ms.
 * @param attempt 0 after it was lost, 1 after the first failed attempt, and so on
 * @param chance 0..1, varies the delay by a quarter
 */
export function reopenDelay(attempt: number, chance: number): number {
  const base = Math.min(reopenMs.most, reopenMs.least * 2 ** Math.min(attempt, 10));
  return Math.round(base * (0.75 + chance / 2));
}

/**
 * Returns how long to wait before a meter is read again, ms. A failed reading is repeated sooner than the next regular one, and
 * later each time: a dead meter costs the others on its bus a second, and a live one its battery.
 * @param failures in a row
 */
export function readDelay(readEveryMs: number, failures: number): number {
  if (failures === 0) return readEveryMs;
  return Math.min(readEveryMs, retryMs * 2 ** Math.min(failures - 1, 20));
}
