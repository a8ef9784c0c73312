import { limits } from "@ledge/model";

/** Time as the kernel needs it: the wall clock (ms since the epoch), elapsed time (ms), and one call back. */
export interface Clock {
  wall(): number;
  /** Never steps; counts from an arbitrary origin. */
  monotonic(): number;
  /** Calls back once after `ms` of elapsed time; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
}

/** The machine's clocks. */
export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The wall clock was found at `to` where `from` was to be expected (ms). */
export interface ClockJump {
  readonly from: number;
  readonly to: number;
  /** Whether the time source vouches for the time that it shows now. */
  readonly trusted: boolean;
}

/**
 * Hands out commit timestamps: `max(last + 1, now)`, where `now` follows the wall clock while that is believed
 * and elapsed time while it is not. It is believed when the time source vouches for it and it has not moved
 * against the monotonic clock by more than `limits.clockJumpMs` since.
 */
export class CommitClock {
  readonly #clock: Clock;
  readonly #vouched: () => boolean;
  #last: number;
  #now: number;
  #checkedWall: number;
  #checkedMonotonic: number;
  #trusted: boolean;
  #jumped = false;
  /** A step of the wall clock, or of the time across a stop, that nobody was told of yet. */
  #step: Omit<ClockJump, "trusted"> | undefined;
  /** Called by `check` after a jump, and again when the time that it led to is believed and is another. */
  onJump: (jump: ClockJump) => void = () => {};
  /** Called after the clock was found to have jumped, or is believed again. */
  onChange: () => void = () => {};

  /**
   * @param last newest timestamp in the log, 0 when it is empty.
   * @param vouched whether the time source says that the wall clock is set, such as time synchronisation.
   */
  constructor(clock: Clock, last: number, vouched: () => boolean) {
    this.#clock = clock;
    this.#vouched = vouched;
    this.#last = last;
    this.#checkedWall = clock.wall();
    this.#checkedMonotonic = clock.monotonic();
    this.#trusted = vouched();
    this.#now = this.#trusted ? Math.max(this.#checkedWall, last) : last;
    if (last === 0) this.#now = this.#checkedWall;
    // Set back while nobody looked: trusted time does not lie before what was recorded.
    const isBehind = this.#trusted && this.#checkedWall < last - limits.clockJumpMs;
    if (isBehind) this.#step = { from: last, to: this.#checkedWall };
  }

  get last(): number {
    return this.#last;
  }

  get trusted(): boolean {
    return this.#trusted;
  }

  /**
   * The hub's time in ms. Never steps back: after the wall clock was set back a little, it goes at half speed
   * until the wall clock has caught up.
   */
  now(): number {
    const wall = this.#clock.wall();
    const monotonic = this.#clock.monotonic();
    const elapsed = monotonic - this.#checkedMonotonic;
    const moved = wall - this.#checkedWall - elapsed;
    this.#checkedWall = wall;
    this.#checkedMonotonic = monotonic;
    if (Math.abs(moved) > limits.clockJumpMs) {
      this.#step = { from: this.#step?.from ?? wall - moved, to: wall };
      this.#trusted = false;
      this.#jumped = true;
    }
    if (this.#trusted) this.#now = Math.max(wall, this.#now + elapsed / 2);
    else this.#now += elapsed;
    if (this.#jumped) {
      this.#jumped = false;
      this.onChange();
    }
    return this.#now;
  }

  /** Asks the time source again; called now and then while the clock is not believed. */
  check(): void {
    const carried = this.now();
    const step = this.#step;
    this.#step = undefined;
    const isRegained = !this.#trusted && this.#vouched();
    if (isRegained) {
      this.#trusted = true;
      this.#now = Math.max(carried, this.#checkedWall);
      this.onChange();
    }
    const found = step ?? (isRegained ? this.#stepFrom(carried) : undefined);
    if (found === undefined) return;
    this.onJump({ from: Math.round(found.from), to: Math.round(found.to), trusted: this.#trusted });
  }

  /** From the time that was carried on without a clock to believe. */
  #stepFrom(carried: number): Omit<ClockJump, "trusted"> | undefined {
    const wall = this.#checkedWall;
    return Math.abs(wall - carried) > limits.clockJumpMs ? { from: carried, to: wall } : undefined;
  }

  /** Makes the hub's time and every later timestamp be above `floor`. */
  raise(floor: number): void {
    this.#last = Math.max(this.#last, floor);
    this.#now = Math.max(this.#now, floor);
  }

  /**
   * The next commit's timestamp, or how many ms to wait because the commits of this hub have run ahead of its
   * time by `limits.clockLeadMs`.
   */
  next(): { readonly timestamp: number } | { readonly waitMs: number } {
    const now = Math.floor(this.now());
    const timestamp = Math.max(this.#last + 1, now);
    if (timestamp - now > limits.clockLeadMs) return { waitMs: timestamp - now - limits.clockLeadMs };
    this.#last = timestamp;
    return { timestamp };
  }

  /** Gives back a timestamp that no commit used, when it is the newest. */
  release(timestamp: number): void {
    if (this.#last === timestamp) this.#last = timestamp - 1;
  }
}
