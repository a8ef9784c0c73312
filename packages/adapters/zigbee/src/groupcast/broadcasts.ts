import type { AdapterClock } from "@ledge/port";
import { AdapterError } from "@ledge/port";

/**
 * A router remembers each broadcast for nine seconds, in a table of nine or more (Zigbee 3.6.6), and drops those for
 * which it has no room.
 */
const burst = 4;
const refillMs = 1500;

/** When the next frame to a group may go out, which every router passes on. */
export class Broadcasts {
  readonly #clock: AdapterClock;
  #left = burst;
  #waiting: (() => void)[] = [];

  constructor(clock: AdapterClock) {
    this.#clock = clock;
  }

  /**
   * Resolves when it may.
   * @throws AdapterError `busy` when another waits already; `cancelled` by the signal.
   */
  async turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new AdapterError("cancelled", "nobody waits any more");
    if (this.#left > 0) return this.#take();
    if (this.#waiting.length > 0) throw new AdapterError("busy", "too many frames to groups");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = (): void => reject(new AdapterError("cancelled", "nobody waits any more"));
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
    // Nothing runs out while all are there.
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
