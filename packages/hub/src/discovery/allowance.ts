import type { Clock } from "@ledge/kernel";

/** So much of something in each second, and no more. */
export class Allowance {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #perSecond: number;
  #second = 0;
  #taken = 0;

  constructor(clock: Pick<Clock, "monotonic">, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** Takes an amount whole, or nothing of it when this second has not so much left. */
  take(amount: number): boolean {
    const second = Math.floor(this.#clock.monotonic() / 1000);
    if (second !== this.#second) this.#taken = 0;
    this.#second = second;
    if (this.#taken + amount > this.#perSecond) return false;
    this.#taken += amount;
    return true;
  }
}
