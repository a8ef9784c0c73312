import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { AdapterPhase } from "../adapters/supervision.ts";

/** Tells when an adapter is away: when it has not run for `limits.adapterAwayMs`, and after each start that failed. */
export class Absence {
  readonly #clock: Pick<Clock, "after">;
  readonly #tell: () => void;
  #isTold = false;
  #cancel: (() => void) | undefined;

  /** @param tell called when the adapter is away. */
  constructor(clock: Pick<Clock, "after">, tell: () => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** The adapter has come to another phase. */
  follow(phase: AdapterPhase): void {
    if (phase === "running" || phase === "stopped") {
      this.stop();
      this.#isTold = false;
    } else if (this.#cancel === undefined && !(this.#isTold && phase === "starting")) {
      this.#cancel = this.#clock.after(limits.adapterAwayMs, () => {
        this.#cancel = undefined;
        this.#isTold = true;
        this.#tell();
      });
    }
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
