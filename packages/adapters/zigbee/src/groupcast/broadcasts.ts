import type { AdapterClock } from "@ledge/port";

/**
 * nwkBroadcastDeliveryTime, ms: so long a router remembers each broadcast, in a table of nine or more entries, and it
 * passes on no broadcast beyond that (Zigbee specification, 3.6.6).
 */
export const broadcastDeliveryMs = 9000;
/** One entry is left to the library, for permits and searches. */
const most = 8;

/** Counts the frames to groups, which every router passes on. */
export class Broadcasts {
  readonly #clock: AdapterClock;
  readonly #deliveryMs: number;
  #left = most;

  constructor(clock: AdapterClock, deliveryMs: number) {
    this.#clock = clock;
    this.#deliveryMs = deliveryMs;
  }

  /** How many may be sent now, 0 to 8. */
  get left(): number {
    return this.#left;
  }

  note(): void {
    this.#left -= 1;
    this.#clock.after(this.#deliveryMs, () => (this.#left += 1));
  }
}
