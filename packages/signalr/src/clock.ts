/** Time as the hub sees it. Tests hand in a simulated one. */
export interface Clock {
  /** Milliseconds; only differences matter. */
  now(): number;
  /** Calls back once after so many milliseconds. Returns a function that cancels. */
  after(ms: number, callback: () => void): () => void;
}

/** The clock of the process. Its timers do not keep a process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
