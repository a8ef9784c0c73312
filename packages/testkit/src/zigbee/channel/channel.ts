import type { Clock } from "../../clock.ts";
import { status } from "../frame-status.ts";
import type { Status } from "../interference.ts";

/** One transmission over one hop. */
export interface Hop {
  /** Whose radio sends it. A radio sends one frame at a time. */
  readonly sender: object;
  /** Its length on the air, see `octetsOf`. */
  readonly octets: number;
  /** Whether another radio has sent it before. */
  readonly isRelayed: boolean;
}

/** A radio channel that all devices share. */
export interface AirChannel {
  /** Whether frames take the time that IEEE 802.15.4 says. */
  readonly isTimed: boolean;
  /** How long anything takes that is not a frame to somebody, ms. */
  readonly delayMs: number;
  /**
   * Sends a frame to one receiver, which acknowledges it.
   * @param isReceived asked at the end of each try
   * @param done gets `success`, `noAck` or `channelBusy`
   */
  unicast(hop: Hop, isReceived: () => boolean, done: (status: Status) => void): void;
  /**
   * Sends a frame that nobody acknowledges.
   * @param done gets `success`; `noAck` when another frame has garbled it; or `channelBusy`
   */
  broadcast(hop: Hop, done: (status: Status) => void): void;
}

/** A channel for tests whose subject is not time: a frame takes a fixed time, whatever is on the air besides. */
export class FixedChannel implements AirChannel {
  readonly isTimed = false;
  /** ms for all hops of a frame together. */
  delayMs: number;
  readonly #clock: Clock;

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.delayMs = delayMs;
  }

  unicast({ isRelayed }: Hop, isReceived: () => boolean, done: (status: Status) => void): void {
    const end = (): void => done(isReceived() ? status.success : status.noAck);
    if (isRelayed) end();
    else this.#clock.after(this.delayMs, end);
  }

  broadcast({ isRelayed }: Hop, done: (status: Status) => void): void {
    if (isRelayed) done(status.success);
    else this.#clock.after(this.delayMs, () => done(status.success));
  }
}
