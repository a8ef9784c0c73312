import type { Timer } from '@ledge/model';
import { limits } from '@ledge/model';
import type { Clock, CommitClock } from './clock.ts';
import { Heap } from './heap.ts';

/** A timer that is due; `lateMs` is how long it has been. */
export interface Due {
  readonly id: string;
  readonly generation: number;
  readonly lateMs: number;
}

interface Armed {
  readonly timer: Timer;
  /** When a relative timer is due on the monotonic clock; undefined for an absolute one. */
  readonly elapsed: number | undefined;
}

/**
 * The one heap of due times and the one timer of the operating system. What is set stands in the log; this is
 * derived from it and can be derived again at any time.
 *
 * Relative timers run on elapsed time: a clock that is set does not move those of this run, and those of an
 * earlier run are measured anew once the time is known. Absolute ones wait until the time is trusted.
 */
export class Timers {
  readonly #clock: Clock;
  readonly #commitClock: CommitClock;
  readonly #fire: (due: readonly Due[]) => void;
  readonly #armed = new Map<string, Armed>();
  /** Ids of relative timers that an earlier run set, until their rest has been measured on trusted time. */
  readonly #inherited = new Set<string>();
  readonly #heap = new Heap<Timer>();
  #cancel: () => void = () => {};
  #settled = false;
  #stopped = false;

  constructor(clock: Clock, commitClock: CommitClock, fire: (due: readonly Due[]) => void) {
    this.#clock = clock;
    this.#commitClock = commitClock;
    this.#fire = fire;
  }

  /** Takes over the timers that the log holds at the start. */
  inherit(timers: Iterable<Timer>): void {
    for (const timer of timers) {
      this.#inherited.add(timer.id);
      this.#hold(timer);
    }
    this.rebuild();
  }

  /** Follows a published change: a timer as it is set now, or undefined for one that is gone. */
  put(id: string, timer: Timer | undefined): void {
    this.#inherited.delete(id);
    if (timer === undefined) {
      this.#armed.delete(id);
    } else {
      this.#hold(timer);
      this.#push(this.#armed.get(id) as Armed);
    }
    this.#arm();
  }

  /** The radios have reported again: timers that look before they fire may come due. */
  settled(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.rebuild();
  }

  /** Measures everything anew, after the clock jumped or is believed again. */
  rebuild(): void {
    if (this.#commitClock.trusted) {
      for (const id of this.#inherited) {
        const armed = this.#armed.get(id);
        if (armed !== undefined) this.#hold(armed.timer);
      }
      this.#inherited.clear();
    }
    this.#heap.clear();
    for (const armed of this.#armed.values()) this.#push(armed);
    this.#arm();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #hold(timer: Timer): void {
    const relative = timer.durationMs !== null;
    const elapsed = relative ? this.#clock.monotonic() + (timer.due - this.#commitClock.now()) : undefined;
    this.#armed.set(timer.id, { timer, elapsed });
  }

  /** When a timer is due on the monotonic clock; Infinity while it must wait for trusted time. */
  #dueElapsed({ timer, elapsed }: Armed): number {
    if (elapsed !== undefined) return elapsed;
    if (!this.#commitClock.trusted) return Infinity;
    return this.#clock.monotonic() + (timer.due - this.#commitClock.now());
  }

  #push(armed: Armed): void {
    const due = this.#dueElapsed(armed);
    if (due !== Infinity) this.#heap.push(due, armed.timer);
  }

  #arm(): void {
    this.#cancel();
    this.#cancel = () => {};
    const next = this.#heap.peek();
    if (next === undefined || this.#stopped) return;
    const wait = Math.min(Math.max(next.key - this.#clock.monotonic(), 0), limits.osTimerMs);
    this.#cancel = this.#clock.after(wait, () => this.#collect());
  }

  #collect(): void {
    const now = this.#clock.monotonic();
    const due: Due[] = [];
    for (let next = this.#heap.peek(); next !== undefined && next.key <= now; next = this.#heap.peek()) {
      this.#heap.pop();
      const { id, generation, late } = next.value;
      const armed = this.#armed.get(id);
      if (armed?.timer.generation !== generation) continue;
      if (armed.elapsed === undefined && this.#dueElapsed(armed) > now + 1) {
        // The clock has slowed down since this was measured.
        this.#push(armed);
        continue;
      }
      const lateMs = Math.round(now - next.key);
      if (late === 'recheck' && !this.#settled) continue;
      due.push({ id, generation, lateMs });
    }
    if (due.length > 0) this.#fire(due);
    this.#arm();
  }
}
