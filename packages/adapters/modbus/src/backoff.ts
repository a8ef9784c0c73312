const reconnectMs = { least: 500, most: 30_000 };
const pollBackoffMs = 30_000;

/**
 * Returns how long to wait before a line is opened again, ms.
 * @param attempt 0 after the line was lost, 1 after the first failed attempt, and so on.
 * @param chance 0..1, varies the delay by a quarter, so that the lines of a site do not reconnect all at
 * once.
 */
export function reconnectDelay(attempt: number, chance: number): number {
  const base = Math.min(reconnectMs.most, reconnectMs.least * 2 ** Math.min(attempt, 10));
  return Math.round(base * (0.75 + chance / 2));
}

/**
 * Returns how long to wait before a device is polled again, ms. Each poll of a dead device costs the others
 * on its line a timeout, so the delay grows up to 30 s, or the device's own interval if that is longer.
 * @param failures in a row.
 */
export function pollDelay(pollMs: number, failures: number): number {
  if (failures === 0) return pollMs;
  return Math.max(pollMs, Math.min(pollBackoffMs, Math.max(pollMs, 500) * 2 ** Math.min(failures - 1, 10)));
}
