import type { Clock } from "@ledge/kernel";

/** Waits for a while (ms), or until aborted. */
export async function pause(ms: number, clock: Pick<Clock, "after">, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const abort = (): void => resolve();
  signal.addEventListener("abort", abort, { once: true });
  await promise;
  signal.removeEventListener("abort", abort);
  cancel();
}
