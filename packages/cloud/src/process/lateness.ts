import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";

/** How late this process comes to what it has to do: as late as to a timer, behind all that it does before. */
export class Lateness {
  readonly #clock: Pick<Clock, "after" | "monotonic">;
  #due = 0;
  #last = 0;
  #cancel: () => void = () => {};

  constructor(clock: Pick<Clock, "after" | "monotonic">) {
    this.#clock = clock;
    this.#look();
  }

  /** Of the last look, or of one that should have come since (ms). */
  get ms(): number {
    return Math.max(this.#last, this.#clock.monotonic() - this.#due);
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    this.#due = this.#clock.monotonic() + limits.latenessLookMs;
    this.#cancel = this.#clock.after(limits.latenessLookMs, () => {
      this.#last = this.#clock.monotonic() - this.#due;
      this.#look();
    });
  }
}
