import type { Clock } from "../../clock.ts";
import { AshReader, encodeAsh, type AshFrame, type AshRead } from "./ash-frame.ts";

/** Why the network processor was reset, in RSTACK and ERROR frames (UG101, 3.6). */
export const resetCode = {
  powerOn: 0x02,
  watchdog: 0x03,
  assert: 0x06,
  software: 0x0b,
  timeouts: 0x51,
} as const;

const version = 2;
/** How many data frames may be on their way. */
const window = 3;
/** How long the host has for an acknowledgement, and how often in a row it may fail (UG101, 5.5). */
const ackMs = 1600;
const maxTimeouts = 4;
/** How long the host's word that it is not ready holds (UG101, 5.6). */
const notReadyMs = 2000;

/** What the link needs from the stick. */
export interface LinkEnds {
  /** Writes bytes of one frame to the line. */
  write(frame: Uint8Array): void;
  /** Called with an EZSP frame of the host. */
  received(data: Uint8Array): void;
  /** Called when the host wants a reset. */
  resetWanted(): void;
}

/** A frame on its way to the host. */
interface Outgoing {
  readonly data: Uint8Array;
  /** Callbacks wait while the host is not ready for them. */
  readonly isCallback: boolean;
}

/**
 * The network processor's end of an ASH link (UG101): numbers and acknowledges data frames, repeats lost ones,
 * and fails when the host no longer acknowledges.
 */
export class AshLink {
  readonly #clock: Clock;
  readonly #ends: LinkEnds;
  readonly #reader = new AshReader();
  /** Not connected before the host's reset; failed with a code until the next one. */
  #state: "closed" | "connected" | { readonly failed: number } = "closed";
  #waiting: Outgoing[] = [];
  #unacknowledged: Outgoing[] = [];
  /** Number of the oldest frame that the host has not acknowledged. */
  #firstUnacknowledged = 0;
  /** Number of the host's next frame. */
  #expected = 0;
  #acknowledged = 0;
  /** Whether a NAK was sent since the last good frame. */
  #isRejecting = false;
  #isHostReady = true;
  #timeouts = 0;
  #cancelTimeout: () => void = () => {};
  #cancelNotReady: () => void = () => {};

  constructor(clock: Clock, ends: LinkEnds) {
    this.#clock = clock;
    this.#ends = ends;
  }

  receive(chunk: Uint8Array): void {
    for (const read of this.#reader.push(chunk)) this.#read(read);
  }

  /** Sends an EZSP frame; drops it without a connection. */
  send(data: Uint8Array, isCallback: boolean): void {
    if (this.#state !== "connected") return;
    this.#waiting.push({ data, isCallback });
    this.#pump();
  }

  /** Starts anew after a reset of the stick, and tells the host. */
  restart(code: number): void {
    this.#clear();
    this.#reader.reset();
    this.#state = code === resetCode.software ? "connected" : "closed";
    this.#write({ type: "reset done", version, code });
  }

  /** Forgets the connection, because the power or the host is gone. */
  close(): void {
    this.#clear();
    this.#reader.reset();
    this.#state = "closed";
  }

  #read(read: AshRead): void {
    if (read.type === "reset") {
      this.#ends.resetWanted();
      return;
    }
    if (this.#state !== "connected") {
      if (this.#state !== "closed") this.#write({ type: "error", version, code: this.#state.failed });
      return;
    }
    if (read.type === "damaged") {
      if (read.isData) this.#reject();
    } else if (read.type === "data") this.#data(read);
    else if (read.type === "ack" || read.type === "nak") this.#control(read);
  }

  #control({ type, ack, isReady }: Extract<AshFrame, { type: "ack" | "nak" }>): void {
    if (!this.#take(ack)) return;
    this.#cancelNotReady();
    this.#isHostReady = isReady;
    if (!isReady) {
      this.#cancelNotReady = this.#clock.after(notReadyMs, () => {
        this.#isHostReady = true;
        this.#pump();
      });
    }
    if (type === "nak") this.#repeat();
    this.#pump();
  }

  #data({ number, ack, isRepeated, data }: Extract<AshFrame, { type: "data" }>): void {
    if (!this.#take(ack)) {
      this.#reject();
      return;
    }
    if (number !== this.#expected) {
      // A repeated frame that is already here: its acknowledgement was lost.
      if (isRepeated) this.#acknowledge();
      else this.#reject();
      return;
    }
    this.#expected = (number + 1) & 7;
    this.#isRejecting = false;
    this.#ends.received(data);
    // A data frame sent meanwhile has acknowledged it.
    if (this.#acknowledged !== this.#expected) this.#acknowledge();
    this.#pump();
  }

  /**
   * Removes frames that the host has received.
   * @returns whether the number is possible
   */
  #take(ack: number): boolean {
    const count = (ack - this.#firstUnacknowledged) & 7;
    if (count > this.#unacknowledged.length) return false;
    if (count === 0) return true;
    this.#unacknowledged.splice(0, count);
    this.#firstUnacknowledged = ack;
    this.#timeouts = 0;
    this.#awaitAck();
    return true;
  }

  #acknowledge(): void {
    this.#acknowledged = this.#expected;
    this.#write({ type: "ack", ack: this.#expected, isReady: true });
  }

  #reject(): void {
    if (this.#isRejecting) return;
    this.#isRejecting = true;
    this.#acknowledged = this.#expected;
    this.#write({ type: "nak", ack: this.#expected, isReady: true });
  }

  #pump(): void {
    while (this.#state === "connected" && this.#unacknowledged.length < window) {
      const next = this.#waiting.findIndex(({ isCallback }) => this.#isHostReady || !isCallback);
      const [frame] = next === -1 ? [] : this.#waiting.splice(next, 1);
      if (!frame) return;
      this.#unacknowledged.push(frame);
      this.#sendData(frame, this.#unacknowledged.length - 1, false);
      if (this.#unacknowledged.length === 1) this.#awaitAck();
    }
  }

  #repeat(): void {
    for (const [index, frame] of this.#unacknowledged.entries()) this.#sendData(frame, index, true);
    this.#awaitAck();
  }

  #sendData({ data }: Outgoing, index: number, isRepeated: boolean): void {
    this.#acknowledged = this.#expected;
    const number = (this.#firstUnacknowledged + index) & 7;
    this.#write({ type: "data", number, ack: this.#expected, isRepeated, data });
  }

  #awaitAck(): void {
    this.#cancelTimeout();
    if (this.#unacknowledged.length === 0) return;
    this.#cancelTimeout = this.#clock.after(ackMs, () => {
      this.#timeouts += 1;
      if (this.#timeouts >= maxTimeouts) this.#fail(resetCode.timeouts);
      else this.#repeat();
    });
  }

  #fail(code: number): void {
    this.#clear();
    this.#state = { failed: code };
    this.#write({ type: "error", version, code });
  }

  #clear(): void {
    this.#cancelTimeout();
    this.#cancelNotReady();
    this.#waiting = [];
    this.#unacknowledged = [];
    this.#firstUnacknowledged = 0;
    this.#expected = 0;
    this.#acknowledged = 0;
    this.#isRejecting = false;
    this.#isHostReady = true;
    this.#timeouts = 0;
  }

  #write(frame: AshFrame): void {
    this.#ends.write(encodeAsh(frame));
  }
}
