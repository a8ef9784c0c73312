import type { Clock } from "../clock.ts";

/** Start bit, eight bits of data, stop bit. */
const bitsPerByte = 10;

/** A serial line in both directions, whose bytes take their time. */
export class LineSpeed {
  readonly #clock: Clock;
  readonly #msPerByte: number;
  readonly #freeAt = { in: -Infinity, out: -Infinity };

  /** @param baudRate bits per second; Infinity for a line that takes no time */
  constructor(clock: Clock, baudRate: number) {
    this.#clock = clock;
    this.#msPerByte = (bitsPerByte * 1000) / baudRate;
  }

  /** Calls back when so many bytes have passed, after all before them in that direction. */
  carry(direction: "in" | "out", bytes: number, then: () => void): void {
    if (this.#msPerByte === 0) return then();
    const now = this.#clock.now();
    const freeAt = Math.max(now, this.#freeAt[direction]) + bytes * this.#msPerByte;
    this.#freeAt[direction] = freeAt;
    this.#clock.after(freeAt - now, then);
  }
}
