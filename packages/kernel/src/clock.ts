import { limits } from "@ledge/model";

/** The clocks of the kernel: the wall clock (ms since the epoch), elapsed time (ms), and a timer. */
export interface Clock {
  wall(): number;
  /** Never steps; counts from an arbitrary origin. */
  monotonic(): number;
  /** Calls back once after `ms` of elapsed time. Returns a function that cancels. */
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

/** A jump of the wall clock (ms): it shows `to` where `from` was expected. */
export interface ClockJump {
  readonly from: number;
  readonly to: number;
  /** Whether the time source vouches for the new time. */
  readonly trusted: boolean;
}

/**
 * Allocates commit timestamps: `max(last + 1, now)`. While the wall clock is trusted, `now` follows it; otherwise
 * it follows elapsed time. The wall clock is trusted when the time source vouches for it and it has not moved
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
  /** A step of the wall clock, or of the time across a stop, that `check` has not yet reported. */
  #step: Omit<ClockJump, "trusted"> | undefined;
  /** Called by `check` after a jump, and again when the time is trusted again and differs. */
  onJump: (jump: ClockJump) => void = () => {};
  /** Called when the clock has jumped, and when it is trusted again. */
  onChange: () => void = () => {};

  /**
   * @param last newest timestamp in the log, 0 when it is empty.
   * @param vouched whether the time source, such as time synchronisation, says that the wall clock is set.
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
    // The clock was set back while the hub was stopped: trusted time cannot lie before the newest commit.
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
   * Returns the hub's time in ms. It never steps back: after the wall clock was set back a little, it runs at
   * half speed until the wall clock has caught up.
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

  /** Asks the time source again and reports a jump. Called now and then. */
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

  /** Returns the step from the time carried on without a trusted clock. */
  #stepFrom(carried: number): Omit<ClockJump, "trusted"> | undefined {
    const wall = this.#checkedWall;
    return Math.abs(wall - carried) > limits.clockJumpMs ? { from: carried, to: wall } : undefined;
  }

  /** Raises the hub's time to `floor`, and every later timestamp above it. */
  raise(floor: number): void {
    this.#last = Math.max(this.#last, floor);
    this.#now = Math.max(this.#now, floor);
  }

  /**
   * Returns the next commit's timestamp. When the commits are ahead of the hub's time by more than
   * `limits.clockLeadMs`, returns how many ms to wait.
   */
  next(): { readonly timestamp: number } | { readonly waitMs: number } {
    const now = Math.floor(this.now());
    const timestamp = Math.max(this.#last + 1, now);
    if (timestamp - now > limits.clockLeadMs) return { waitMs: timestamp - now - limits.clockLeadMs };
    this.#last = timestamp;
    return { timestamp };
  }

  /** Returns a timestamp that no commit used, if it is the newest. */
  release(timestamp: number): void {
    if (this.#last === timestamp) this.#last = timestamp - 1;
  }
}
