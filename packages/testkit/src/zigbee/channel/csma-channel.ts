import type { Random } from "../../random.ts";
import type { Clock } from "../../clock.ts";
import { status } from "../frame-status.ts";
import type { Status } from "../interference.ts";
import type { AirChannel, Hop } from "./channel.ts";
import {
  acknowledgementMs,
  acknowledgementWaitMs,
  csma,
  octetMs,
  spacingMs,
  turnaroundMs,
  unicast,
} from "./time-on-air.ts";

/** A frame on the air, with its acknowledgement. */
interface OnAir {
  readonly from: number;
  readonly until: number;
  /** Another radio began within the turnaround time, in which neither hears the other. */
  isGarbled: boolean;
}

/** The waiting frames of one radio. The first is being sent. */
type Queue = (() => void)[];

/**
 * A channel on which frames take their time and compete, as IEEE 802.15.4 says: random back-off, clear channel
 * assessment, acknowledgements, retries. Every radio hears every other one.
 */
export class CsmaChannel implements AirChannel {
  readonly isTimed = true;
  readonly delayMs = 0;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #queues = new Map<object, Queue>();
  #onAir: OnAir[] = [];
  #busyMs = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** How long frames and acknowledgements have been on the air so far, ms. */
  get busyMs(): number {
    return this.#busyMs;
  }

  unicast(hop: Hop, isReceived: () => boolean, done: (status: Status) => void): void {
    const attempt = (retries: number): void =>
      this.#unicastOnce(hop, isReceived, (code) => {
        if (code === status.success || retries === unicast.retries) done(code);
        else this.#clock.after(unicast.delayMs, () => attempt(retries + 1));
      });
    attempt(0);
  }

  #unicastOnce({ sender, octets }: Hop, isReceived: () => boolean, done: (status: Status) => void): void {
    this.#inTurn(sender, (end) => {
      const attempt = (retries: number): void =>
        this.#contend(octets * octetMs, turnaroundMs + acknowledgementMs, (frame) => {
          if (frame === null) return end(() => done(status.channelBusy));
          if (!frame.isGarbled && isReceived()) return end(() => done(status.success));
          if (retries === csma.maxRetries) return end(() => done(status.noAck));
          this.#clock.after(acknowledgementWaitMs, () => attempt(retries + 1));
        });
      attempt(0);
    });
  }

  broadcast({ sender, octets }: Hop, done: (status: Status) => void): void {
    this.#inTurn(sender, (end) =>
      this.#contend(octets * octetMs, 0, (frame) =>
        end(() =>
          done(frame === null ? status.channelBusy : frame.isGarbled ? status.noAck : status.success),
        ),
      ),
    );
  }

  /** Runs the sends of a radio one after the other, with the spacing between frames. */
  #inTurn(sender: object, send: (end: (then: () => void) => void) => void): void {
    const queue: Queue = this.#queues.get(sender) ?? [];
    this.#queues.set(sender, queue);
    const end = (then: () => void): void => {
      this.#clock.after(spacingMs, () => {
        queue.shift();
        if (queue[0]) queue[0]();
        else this.#queues.delete(sender);
      });
      then();
    };
    queue.push(() => send(end));
    if (queue.length === 1) queue[0]?.();
  }

  /**
   * Waits for a free channel and sends.
   * @param afterMs how long the answer of the receiver takes
   * @param then called at the end of the frame; with null when the channel was never free
   */
  #contend(frameMs: number, afterMs: number, then: (frame: OnAir | null) => void): void {
    const backOff = (tries: number): void => {
      const exponent = Math.min(csma.minExponent + tries, csma.maxExponent);
      const waitMs = this.#random(2 ** exponent) * csma.periodMs + csma.assessmentMs;
      this.#clock.after(waitMs, () => {
        if (!this.#isBusy()) this.#transmit(frameMs, afterMs, then);
        else if (tries === csma.maxBackoffs) then(null);
        else backOff(tries + 1);
      });
    };
    backOff(0);
  }

  #isBusy(): boolean {
    const now = this.#clock.now();
    this.#onAir = this.#onAir.filter(({ until }) => until > now);
    return this.#onAir.some(({ from }) => from <= now);
  }

  #transmit(frameMs: number, afterMs: number, then: (frame: OnAir) => void): void {
    const from = this.#clock.now() + turnaroundMs;
    const isGarbled = this.#onAir.length > 0;
    for (const other of this.#onAir) other.isGarbled = true;
    const frame: OnAir = { from, until: from + frameMs + afterMs, isGarbled };
    this.#onAir.push(frame);
    this.#busyMs += frameMs + afterMs;
    this.#clock.after(turnaroundMs + frameMs + afterMs, () => then(frame));
  }
}
