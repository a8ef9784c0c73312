const reconnectMs = { least: 500, most: 30_000 };
const pollBackoffMs = 30_000;

/**
 * How long to wait before a line is opened again, ms.
 * @param attempt 0 after the line was lost, 1 after the first attempt that failed, and so on.
 * @param chance 0..1, spreads it by a quarter up and down, so that not all lines of a site come at once.
 */
export function reconnectDelay(attempt: number, chance: number): number {
  const base = Math.min(reconnectMs.most, reconnectMs.least * 2 ** Math.min(attempt, 10));
  return Math.round(base * (0.75 + chance / 2));
}

/**
 * How long to wait before a device is polled again, ms. A dead one costs the others on its line a time-out
 * each time, so it is asked ever less often, down to once in 30 s (or its own interval, if that is longer).
 * @param failures in a row.
 */
export function pollDelay(pollMs: number, failures: number): number {
  if (failures === 0) return pollMs;
  return Math.max(pollMs, Math.min(pollBackoffMs, Math.max(pollMs, 500) * 2 ** Math.min(failures - 1, 10)));
}
