import type { AdapterClock } from "@ledge/port";

/** Resolves after `ms`, or at once when the signal is or gets aborted. */
export function pause(clock: AdapterClock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      stopTimer();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stopTimer = clock.after(ms, end);
    signal.addEventListener("abort", end);
  });
}

/** Resolves with the promise, or after `ms` without it. */
export async function atMost(clock: AdapterClock, ms: number, promise: Promise<unknown>): Promise<void> {
  const waited = new AbortController();
  await Promise.race([promise, pause(clock, ms, waited.signal)]);
  waited.abort();
}
