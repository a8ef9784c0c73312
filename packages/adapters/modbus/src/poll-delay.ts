const pollBackoffMs = 30_000;

/**
 * Returns how long to wait before a device is polled again, ms. Each poll of a dead device costs the others
 * on its line a timeout, so the delay grows up to 30 s, or the device's own interval if that is longer.
 * @param failures in a row.
 */
export function pollDelay(pollMs: number, failures: number): number {
  if (failures === 0) return pollMs;
  return Math.max(pollMs, Math.min(pollBackoffMs, Math.max(pollMs, 500) * 2 ** Math.min(failures - 1, 10)));
}
