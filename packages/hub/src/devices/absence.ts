import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { AdapterPhase } from "../adapters/supervision.ts";

/**
 * Reports when an adapter is away: when it has not run for `limits.adapterAwayMs` since a failure, again after
 * each failed restart, or when its first start takes longer than `limits.adapterFirstStartMs`.
 */
export class Absence {
  readonly #clock: Pick<Clock, "after">;
  readonly #tell: () => void;
  #isTold = false;
  #hasFailed = false;
  #cancel: (() => void) | undefined;

  /** @param tell called when the adapter is away */
  constructor(clock: Pick<Clock, "after">, tell: () => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Follows a change of the adapter's phase. */
  follow(phase: AdapterPhase): void {
    if (phase === "running" || phase === "stopped") {
      this.stop();
      this.#isTold = false;
      this.#hasFailed = false;
    } else if (phase === "starting") {
      if (!this.#hasFailed && !this.#isTold) this.#tellAfter(limits.adapterFirstStartMs);
    } else {
      if (!this.#hasFailed) this.stop();
      this.#hasFailed = true;
      this.#tellAfter(limits.adapterAwayMs);
    }
  }

  /** Sets the timer. A report that is already due is not postponed. */
  #tellAfter(ms: number): void {
    this.#cancel ??= this.#clock.after(ms, () => {
      this.#cancel = undefined;
      this.#isTold = true;
      this.#tell();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
