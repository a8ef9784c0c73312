import type { AdapterClock } from "./adapter.ts";

/** Opens once and stays open. Lets one wait for that, but not for ever. */
export class Latch {
  #isOpen = false;
  #opened = (): void => {};

  open(): void {
    this.#isOpen = true;
    this.#opened();
  }

  /** Resolves when it is open, or after `atMostMs`. */
  wait(clock: AdapterClock, atMostMs: number): Promise<void> {
    if (this.#isOpen) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = clock.after(atMostMs, resolve);
      this.#opened = () => {
        cancel();
        resolve();
      };
    });
  }
}
