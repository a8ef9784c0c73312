import type { AirClock } from "./air-clock.ts";

interface Refusal {
  readonly subsystem: number;
  readonly id: number;
  readonly status: number;
  left: number;
}

/** What goes wrong between a stick and its host, as a test asks for it. */
export class LineFaults {
  /** Requests come to nothing, and nothing is told. */
  isSilent = false;
  /** Everything goes to the host so much later. */
  delayMs = 0;
  /** Bytes that stand before each frame, such as what a boot loader prints. */
  noise = new Uint8Array();
  /** Cuts what goes to the host in pieces, which are sent one by one; null: as it is. */
  pieces: ((bytes: Uint8Array) => readonly Uint8Array[]) | null = null;
  readonly #clock: AirClock;
  #garbled = 0;
  #afterCut: (() => void) | null = null;
  #refusals: Refusal[] = [];
  #nextDue = -Infinity;

  constructor(clock: AirClock) {
    this.#clock = clock;
  }

  /** In the next frames to the host one bit is wrong. */
  garble(frames: number = 1): void {
    this.#garbled = frames;
  }

  /** Of the next frame to the host only the first half comes; `then` follows. */
  cut(then: () => void = () => {}): void {
    this.#afterCut = then;
  }

  /** The next requests of a kind are answered with a status and not carried out. */
  refuse(subsystem: number, id: number, status: number, times: number = Infinity): void {
    this.#refusals.push({ subsystem, id, status, left: times });
  }

  /** All is well again. */
  clear(): void {
    this.isSilent = false;
    this.delayMs = 0;
    this.noise = new Uint8Array();
    this.pieces = null;
    this.#garbled = 0;
    this.#afterCut = null;
    this.#refusals = [];
  }

  /** The status with which a request is refused, or null. */
  refusalOf(subsystem: number, id: number): number | null {
    const refusal = this.#refusals.find((other) => other.subsystem === subsystem && other.id === id);
    if (!refusal) return null;
    refusal.left -= 1;
    if (refusal.left <= 0) this.#refusals = this.#refusals.filter((other) => other !== refusal);
    return refusal.status;
  }

  /** Sends a frame to the host through all this. */
  send(frame: Uint8Array, write: (bytes: Uint8Array) => void): void {
    if (this.isSilent) return;
    let sent = Uint8Array.from([...this.noise, ...frame]);
    if (this.#garbled > 0) {
      this.#garbled -= 1;
      sent = sent.with(sent.length - 2, (sent.at(-2) ?? 0) ^ 0x10);
    }
    const afterCut = this.#afterCut;
    this.#afterCut = null;
    if (afterCut) sent = sent.slice(0, Math.floor(sent.length / 2));
    this.#inTime(() => {
      for (const piece of this.pieces?.(sent) ?? [sent]) write(piece);
      afterCut?.();
    });
  }

  /** What is slow stays in order. */
  #inTime(act: () => void): void {
    const now = this.#clock.now();
    const due = Math.max(now + this.delayMs, this.#nextDue);
    if (due <= now) {
      act();
      return;
    }
    this.#nextDue = due;
    this.#clock.after(due - now, act);
  }
}
