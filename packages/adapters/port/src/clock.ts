import type { AdapterClock } from "./adapter.ts";

/**
 * The machine's clock. It calls back once what has arrived by then is read: a process that gets no processor for a while
 * runs its timers before it reads, and would take a device for silent that has answered.
 */
export const systemClock: AdapterClock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    let reading: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      // An answer may take two turns: one for its beginning, and one for its end.
      reading = setImmediate(() => (reading = setImmediate(callback)));
    }, ms);
    return () => {
      clearTimeout(timer);
      clearImmediate(reading);
    };
  },
};
