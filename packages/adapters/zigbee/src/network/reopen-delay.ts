const reopenMs = { least: 500, most: 30_000 };

/**
 * How long to wait before the stick is tried again, ms.
 * @param failures in a row, 1 or more.
 * @param chance 0..1, spreads it by a quarter up and down.
 */
export function reopenDelay(failures: number, chance: number): number {
  const base = Math.min(reopenMs.most, reopenMs.least * 2 ** Math.min(failures - 1, 10));
  return Math.round(base * (0.75 + chance / 2));
}
