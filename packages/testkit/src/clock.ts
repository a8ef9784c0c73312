/** The time of what is simulated. `SimulatedClock` is one too. */
export interface Clock {
  /** Ms since the epoch. */
  now(): number;
  /** Calls back once after `ms`. Returns a function that cancels. */
  after(ms: number, callback: () => void): () => void;
}

/** The machine's time. Pending callbacks do not keep the process alive. */
export const realTime: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
