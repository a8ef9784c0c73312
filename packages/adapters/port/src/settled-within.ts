import type { AdapterClock } from "./adapter.ts";

/**
 * Waits for a promise, such as for what may hang while it closes, for at most `ms`.
 * @returns whether it was fulfilled; ignores a rejection
 */
export async function settledWithin(
  ms: number,
  clock: AdapterClock,
  promise: Promise<unknown>,
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const cancel = clock.after(ms, () => late.resolve(false));
  const done = promise.then(
    () => true,
    () => false,
  );
  const isDone = await Promise.race([done, late.promise]);
  cancel();
  return isDone;
}
