import type { Clock } from "@ledge/kernel";

/** Limits an amount per second. */
export class Allowance {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #perSecond: number;
  #second = 0;
  #taken = 0;

  constructor(clock: Pick<Clock, "monotonic">, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** Takes the whole amount; returns false and takes nothing when less is left in this second. */
  take(amount: number): boolean {
    const second = Math.floor(this.#clock.monotonic() / 1000);
    if (second !== this.#second) this.#taken = 0;
    this.#second = second;
    if (this.#taken + amount > this.#perSecond) return false;
    this.#taken += amount;
    return true;
  }
}
