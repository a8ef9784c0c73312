interface Alarm {
  readonly due: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until it is told to go on. Its wall clock can jump, its elapsed time cannot.
 * Fits wherever a clock with `now` or `wall`, `monotonic` and `after` is asked for.
 */
export class SimulatedClock {
  #wallAtOrigin: number;
  #elapsed = 0;
  #alarms: Alarm[] = [];

  /** @param wall where the wall clock begins, ms since the epoch. */
  constructor(wall: number = Date.UTC(2026, 0, 15, 10)) {
    this.#wallAtOrigin = wall;
  }

  /** Wall clock, ms since the epoch. */
  now(): number {
    return this.#wallAtOrigin + this.#elapsed;
  }

  /** The same as `now`. */
  wall(): number {
    return this.now();
  }

  /** Elapsed time in ms since the clock was made. */
  monotonic(): number {
    return this.#elapsed;
  }

  /** Callbacks that wait. */
  get waiting(): number {
    return this.#alarms.length;
  }

  /** Calls back once when `ms` have elapsed; the returned function cancels. */
  after(ms: number, callback: () => void): () => void {
    const alarm: Alarm = { due: this.#elapsed + Math.max(0, ms), callback };
    const place = this.#alarms.findLastIndex((other) => other.due <= alarm.due) + 1;
    this.#alarms.splice(place, 0, alarm);
    return () => {
      const index = this.#alarms.indexOf(alarm);
      if (index !== -1) this.#alarms.splice(index, 1);
    };
  }

  /** Lets `ms` elapse and runs what falls due, in order of due time, then of asking. */
  advance(ms: number): void {
    const until = this.#elapsed + ms;
    while (this.#runNext(until)) continue;
    this.#elapsed = until;
  }

  /** As `advance`, but lets promises go on after each callback. */
  async pass(ms: number): Promise<void> {
    const until = this.#elapsed + ms;
    await turn();
    while (this.#runNext(until)) await turn();
    this.#elapsed = until;
    await turn();
  }

  /** Sets the wall clock forward (or back) by `ms` without any time elapsing. */
  stepWall(ms: number): void {
    this.#wallAtOrigin += ms;
  }

  #runNext(until: number): boolean {
    const next = this.#alarms[0];
    if (!next || next.due > until) return false;
    this.#alarms.shift();
    this.#elapsed = Math.max(this.#elapsed, next.due);
    next.callback();
    return true;
  }
}

/** One turn of the event loop: everything that waits for promises has run. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
