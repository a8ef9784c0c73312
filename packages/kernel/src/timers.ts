import type { Timer } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Clock, CommitClock } from "./clock.ts";
import { Heap } from "./heap.ts";

/** A timer that is due, and by how much it is late (ms). */
export interface Due {
  readonly id: string;
  readonly generation: number;
  readonly lateMs: number;
}

interface Armed {
  readonly timer: Timer;
  /** When it is due (ms): elapsed time of a relative timer, the wall clock of an absolute one. */
  readonly key: number;
}

/** The heaps are purged of replaced and cancelled timers when these outnumber the current ones by this many. */
const staleMax = 64;

/**
 * Keeps the due times and arms one timer of the operating system. The log holds the timers; this is derived from
 * it and can be derived again at any time.
 *
 * Relative timers run on elapsed time. Setting the clock does not move those of this run; those of an earlier run
 * are measured again once the time is known. Absolute timers follow the wall clock, and wait while it is not
 * trusted.
 */
export class Timers {
  readonly #clock: Clock;
  readonly #commitClock: CommitClock;
  readonly #fire: (due: readonly Due[]) => void;
  /** By id. A timer in a heap that is not here was replaced, was cancelled or has fired. */
  readonly #armed = new Map<string, Armed>();
  readonly #relative = new Heap<Armed>();
  readonly #absolute = new Heap<Armed>();
  /** Ids of relative timers of an earlier run whose rest is not yet measured on trusted time. */
  readonly #inherited = new Set<string>();
  /** Timers that are due but wait until the radios have reported again. */
  #unsettled: Armed[] = [];
  #settled = false;
  #stopped = false;
  /** When the timer of the operating system fires, in elapsed time. */
  #wakeAt = Infinity;
  #cancel: () => void = () => {};

  /** @param fire called with timers that are due, once for each timer unless `refill` is called. */
  constructor(clock: Clock, commitClock: CommitClock, fire: (due: readonly Due[]) => void) {
    this.#clock = clock;
    this.#commitClock = commitClock;
    this.#fire = fire;
  }

  /** Takes over the timers of the log at the start. */
  inherit(timers: Iterable<Timer>): void {
    for (const timer of timers) {
      this.#hold(timer);
      if (timer.durationMs !== null) this.#inherited.add(timer.id);
    }
    this.clockChanged();
  }

  /**
   * Follows a published change: the timer as it is set now, or undefined when it was removed. Call `arm`
   * afterwards.
   */
  put(id: string, timer: Timer | undefined): void {
    this.#inherited.delete(id);
    if (timer === undefined) this.#armed.delete(id);
    else this.#hold(timer);
  }

  /** Arms the timer of the operating system for the next due time. */
  arm(): void {
    if (this.#stopped) return;
    const now = this.#clock.monotonic();
    const wakeAt = now + Math.max(this.#untilNext(now), 0);
    // Waking too early does no harm. Moving the wake-up back each time could keep it from ever firing.
    if (wakeAt === Infinity || wakeAt >= this.#wakeAt) return;
    this.#cancel();
    this.#wakeAt = wakeAt;
    this.#cancel = this.#clock.after(Math.min(wakeAt - now, limits.osTimerMs), () => this.#collect());
  }

  /** Tells the timers that the radios have reported again, so that those which wait for that may fire. */
  settled(): void {
    this.#settled = true;
    for (const armed of this.#unsettled) if (this.#isCurrent(armed)) this.#push(armed);
    this.#unsettled = [];
    this.arm();
  }

  /** Called when the wall clock is trusted again or no longer. */
  clockChanged(): void {
    if (this.#commitClock.trusted) {
      for (const id of this.#inherited) this.#hold((this.#armed.get(id) as Armed).timer);
      this.#inherited.clear();
    }
    this.arm();
  }

  /** Reports all due timers again after their effects were lost. */
  refill(): void {
    this.#relative.clear();
    this.#absolute.clear();
    this.#unsettled = [];
    for (const armed of this.#armed.values()) this.#push(armed);
    this.arm();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #hold(timer: Timer): void {
    const isRelative = timer.durationMs !== null;
    const key = isRelative ? this.#clock.monotonic() + (timer.due - this.#commitClock.now()) : timer.due;
    const armed = { timer, key };
    this.#armed.set(timer.id, armed);
    this.#push(armed);
    if (this.#relative.size + this.#absolute.size > 2 * this.#armed.size + staleMax) this.refill();
  }

  #push(armed: Armed): void {
    const heap = armed.timer.durationMs === null ? this.#absolute : this.#relative;
    heap.push(armed.key, armed);
  }

  #isCurrent(armed: Armed): boolean {
    return this.#armed.get(armed.timer.id) === armed;
  }

  #untilNext(now: number): number {
    const relative = this.#relative.peek();
    const absolute = this.#commitClock.trusted ? this.#absolute.peek() : undefined;
    const untilRelative = relative === undefined ? Infinity : relative.key - now;
    const untilAbsolute = absolute === undefined ? Infinity : absolute.key - this.#clock.wall();
    return Math.min(untilRelative, untilAbsolute);
  }

  #collect(): void {
    this.#wakeAt = Infinity;
    // Check the clock first: absolute timers may only fire if the wall clock has not jumped since the last check.
    this.#commitClock.now();
    const found: Found[] = [];
    this.#take(this.#relative, this.#clock.monotonic(), found);
    if (this.#commitClock.trusted) this.#take(this.#absolute, this.#clock.wall(), found);
    if (found.length > 0) this.#fire(found.toSorted(byDue).map(asDue));
    this.arm();
  }

  #take(heap: Heap<Armed>, now: number, found: Found[]): void {
    for (let next = heap.peek(); next !== undefined && next.key <= now; next = heap.peek()) {
      heap.pop();
      const armed = next.value;
      if (!this.#isCurrent(armed)) continue;
      if (armed.timer.late === "recheck" && !this.#settled) this.#unsettled.push(armed);
      else found.push({ timer: armed.timer, lateMs: Math.round(now - armed.key) });
    }
  }
}

interface Found {
  readonly timer: Timer;
  readonly lateMs: number;
}

/** The order in which timers fire, including those that are due together after a restart. */
function byDue({ timer: a }: Found, { timer: b }: Found): number {
  return a.due - b.due || (a.id < b.id ? -1 : 1);
}

function asDue({ timer: { id, generation }, lateMs }: Found): Due {
  return { id, generation, lateMs };
}
