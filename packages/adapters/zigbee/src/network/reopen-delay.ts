const reopenMs = { least: 500, most: 30_000 };

/**
 * Returns how long to wait before the stick is opened again, ms.
 * @param failures in a row, 1 or more.
 * @param chance 0..1, varies the delay by a quarter.
 */
export function reopenDelay(failures: number, chance: number): number {
  const base = Math.min(reopenMs.most, reopenMs.least * 2 ** Math.min(failures - 1, 10));
  return Math.round(base * (0.75 + chance / 2));
}
