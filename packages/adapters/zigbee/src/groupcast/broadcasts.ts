import type { AdapterClock } from "@ledge/port";
import { AdapterError } from "@ledge/port";

/**
 * A router remembers each broadcast for nine seconds in a table of nine or more entries (Zigbee 3.6.6), and
 * drops broadcasts beyond its table.
 */
const burst = 4;
const refillMs = 1500;

/** Rate limit of frames to groups, which every router forwards. */
export class Broadcasts {
  readonly #clock: AdapterClock;
  #left = burst;
  #waiting: (() => void)[] = [];

  constructor(clock: AdapterClock) {
    this.#clock = clock;
  }

  /**
   * Resolves when the next frame may be sent.
   * @throws AdapterError `busy` when another already waits; `cancelled` by the signal.
   */
  async turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new AdapterError("cancelled", "the caller no longer waits");
    if (this.#left > 0) return this.#take();
    if (this.#waiting.length > 0) throw new AdapterError("busy", "too many frames to groups");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = (): void => reject(new AdapterError("cancelled", "the caller no longer waits"));
    this.#waiting.push(resolve);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#waiting = this.#waiting.filter((each) => each !== resolve);
    }
    this.#take();
  }

  #take(): void {
    this.#left -= 1;
    // The bucket is not full any more: start the refill.
    if (this.#left === burst - 1) this.#refill();
  }

  #refill(): void {
    this.#clock.after(refillMs, () => {
      this.#left += 1;
      if (this.#left < burst) this.#refill();
      this.#waiting[0]?.();
    });
  }
}
