import { realTime, type Clock } from "../../clock.ts";

interface Alarm {
  readonly due: number;
  readonly callback: () => void;
}

/**
 * A clock whose callbacks see the time at which they were due, although the timers of the machine are late by a
 * millisecond or more. Steps of a fraction of a millisecond so add up to the right time.
 */
export class ExactClock implements Clock {
  readonly #clock: Clock;
  /** By due time, then by creation. */
  readonly #alarms: Alarm[] = [];
  #current: number | null = null;
  #timer: { readonly due: number; readonly cancel: () => void } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#current ?? this.#clock.now();
  }

  after(ms: number, callback: () => void): () => void {
    const alarm: Alarm = { due: this.now() + Math.max(0, ms), callback };
    this.#alarms.splice(this.#placeOf(alarm.due), 0, alarm);
    if (this.#current === null) this.#await();
    return () => {
      const index = this.#alarms.indexOf(alarm);
      if (index !== -1) this.#alarms.splice(index, 1);
    };
  }

  /** Returns the place behind all alarms that are due by then. */
  #placeOf(due: number): number {
    let [low, high] = [0, this.#alarms.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#alarms[middle]?.due ?? 0) <= due) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #await(): void {
    const next = this.#alarms[0];
    if (!next || (this.#timer && this.#timer.due <= next.due)) return;
    this.#timer?.cancel();
    const cancel = this.#clock.after(Math.max(0, next.due - this.#clock.now()), () => this.#run());
    this.#timer = { due: next.due, cancel };
  }

  #run(): void {
    this.#timer = null;
    const until = this.#clock.now();
    try {
      for (let next = this.#alarms[0]; next && next.due <= until; next = this.#alarms[0]) {
        this.#alarms.shift();
        this.#current = next.due;
        next.callback();
      }
    } finally {
      this.#current = null;
      this.#await();
    }
  }
}

/**
 * Returns the machine's time, exact in the above sense.
 * @param factor how many times faster it runs
 */
export function exactRealTime(factor: number = 1): Clock {
  const began = performance.now();
  return new ExactClock({
    now: () => performance.timeOrigin + began + (performance.now() - began) * factor,
    after: (ms, callback) => realTime.after(ms / factor, callback),
  });
}
