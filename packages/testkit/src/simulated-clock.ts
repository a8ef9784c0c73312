interface Alarm {
  readonly due: number;
  readonly callback: () => void;
}

/**
 * A clock that advances only when told to. Its wall clock can jump, its elapsed time cannot. Fits wherever a
 * clock with `now` or `wall`, `monotonic` and `after` is needed.
 */
export class SimulatedClock {
  #wallAtOrigin: number;
  #elapsed = 0;
  #alarms: Alarm[] = [];

  /** @param wall initial wall clock, ms since the epoch. */
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

  /** How many callbacks are pending. */
  get waiting(): number {
    return this.#alarms.length;
  }

  /** Calls back once after `ms` have elapsed. Returns a function that cancels. */
  after(ms: number, callback: () => void): () => void {
    const alarm: Alarm = { due: this.#elapsed + Math.max(0, ms), callback };
    const place = this.#alarms.findLastIndex((other) => other.due <= alarm.due) + 1;
    this.#alarms.splice(place, 0, alarm);
    return () => {
      const index = this.#alarms.indexOf(alarm);
      if (index !== -1) this.#alarms.splice(index, 1);
    };
  }

  /** Lets `ms` elapse and runs the callbacks that are due, ordered by due time, then by creation. */
  advance(ms: number): void {
    const until = this.#elapsed + ms;
    while (this.#runNext(until)) continue;
    this.#elapsed = until;
  }

  /** Like `advance`, but lets promises settle after each callback. */
  async pass(ms: number): Promise<void> {
    const until = this.#elapsed + ms;
    await turn();
    while (this.#runNext(until)) await turn();
    this.#elapsed = until;
    await turn();
  }

  /** Moves the wall clock by `ms` without any elapsed time. */
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

/** Waits for one turn of the event loop, so that all pending promise callbacks have run. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
