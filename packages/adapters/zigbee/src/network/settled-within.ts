import type { AdapterClock } from "@ledge/port";

/** Waits for a promise, but not for ever. @returns whether it was fulfilled; how else it ends is nobody's business. */
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
