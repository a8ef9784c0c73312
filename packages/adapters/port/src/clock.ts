import type { AdapterClock } from "./adapter.ts";

/** The machine's clock. */
export const systemClock: AdapterClock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
