import type { ReadonlySignal } from "@preact/signals";

/** Calls back when the page knows an object that was just made. */
export function onceThere(object: ReadonlySignal<unknown>, then: () => void): void {
  const stop = object.subscribe((found) => {
    if (found === undefined) return;
    // The first call comes before there is anything to stop.
    queueMicrotask(() => stop());
    then();
  });
}
