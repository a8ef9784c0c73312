const retryMs = 30_000;

/**
 * Returns how long to wait before a meter is read again, ms. A failed reading is repeated sooner than the next regular one, and
 * later each time: a dead meter costs the others on its bus a second, and a live one its battery.
 * @param failures in a row
 */
export function readDelay(readEveryMs: number, failures: number): number {
  if (failures === 0) return readEveryMs;
  return Math.min(readEveryMs, retryMs * 2 ** Math.min(failures - 1, 20));
}
