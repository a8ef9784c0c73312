import type { Clock } from "../clock.ts";

/** The size of a broadcast transaction table, and how long an entry stays. */
export interface BroadcastTableOptions {
  /** By default 9, the least that Zigbee PRO allows and what Z-Stack has unless built otherwise (MAX_BCAST). */
  readonly entries?: number;
  /** nwkBroadcastDeliveryTime, ms; by default 9 s (Zigbee specification, 3.6.6). */
  readonly deliveryMs?: number;
}

/**
 * The broadcast transaction table of a coordinator. Every router has one like it and sees the same broadcasts,
 * so one table stands for all.
 */
export class BroadcastTable {
  readonly #clock: Clock;
  readonly #entries: number;
  readonly #deliveryMs: number;
  #ends: number[] = [];

  constructor(clock: Clock, { entries = 9, deliveryMs = 9000 }: BroadcastTableOptions = {}) {
    this.#clock = clock;
    this.#entries = entries;
    this.#deliveryMs = deliveryMs;
  }

  /**
   * Enters a broadcast.
   * @returns false when the table is full: then nobody passes it on
   */
  take(): boolean {
    const now = this.#clock.now();
    if (this.#entries === Infinity) return true;
    this.#ends = this.#ends.filter((end) => end > now);
    if (this.#ends.length >= this.#entries) return false;
    this.#ends.push(now + this.#deliveryMs);
    return true;
  }
}
