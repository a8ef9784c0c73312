import type { AdapterClock } from "./adapter.ts";

/** Resolves after `ms`, or as soon as the signal aborts; never rejects. Leaves no listener at the signal. */
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
