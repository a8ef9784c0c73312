import type { Clock } from "../clock.ts";

interface Refusal {
  readonly subsystem: number;
  readonly id: number;
  readonly status: number;
  left: number;
}

/** Stands for the subsystem of a request in protocols that have none. */
export const noSubsystem = 0;

/** Faults between a stick and its host, as a test requests them. */
export class LineFaults {
  /** Whether requests have no effect and nothing is sent to the host. */
  isSilent = false;
  /** How much later everything arrives at the host. */
  delayMs = 0;
  /** Bytes sent before each frame, such as the output of a boot loader. */
  noise = new Uint8Array();
  /** Splits the data for the host into pieces, which are sent one by one; null sends it whole. */
  pieces: ((bytes: Uint8Array) => readonly Uint8Array[]) | null = null;
  readonly #clock: Clock;
  #garbled = 0;
  #lost = 0;
  #fromHost: { readonly fault: "garbled" | "lost"; left: number } | null = null;
  #afterCut: (() => void) | null = null;
  #refusals: Refusal[] = [];
  #nextDue = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Flips one bit in each of the next frames to the host. */
  garble(frames: number = 1): void {
    this.#garbled = frames;
  }

  /** Loses each of the next frames to the host. */
  lose(frames: number = 1): void {
    this.#lost = frames;
  }

  /** Flips one bit in each of the next pieces of data from the host, or loses them. */
  disturbHost(fault: "garbled" | "lost", pieces: number = 1): void {
    this.#fromHost = { fault, left: pieces };
  }

  /** Sends only the first half of the next frame to the host, then calls `then`. */
  cut(then: () => void = () => {}): void {
    this.#afterCut = then;
  }

  /** Answers the next requests of a kind with a status, without carrying them out. */
  refuse(subsystem: number, id: number, status: number, times: number = Infinity): void {
    this.#refusals.push({ subsystem, id, status, left: times });
  }

  /** Ends all faults. */
  clear(): void {
    this.isSilent = false;
    this.delayMs = 0;
    this.noise = new Uint8Array();
    this.pieces = null;
    this.#garbled = 0;
    this.#lost = 0;
    this.#fromHost = null;
    this.#afterCut = null;
    this.#refusals = [];
  }

  /** Returns the status with which a request is refused, or null. */
  refusalOf(subsystem: number, id: number): number | null {
    const refusal = this.#refusals.find((other) => other.subsystem === subsystem && other.id === id);
    if (!refusal) return null;
    refusal.left -= 1;
    if (refusal.left <= 0) this.#refusals = this.#refusals.filter((other) => other !== refusal);
    return refusal.status;
  }

  /** Returns what arrives of data from the host. */
  received(chunk: Uint8Array): Uint8Array {
    if (this.isSilent) return new Uint8Array();
    const faulty = this.#fromHost;
    if (!faulty || faulty.left <= 0) return chunk;
    faulty.left -= 1;
    const middle = chunk.length >> 1;
    return faulty.fault === "lost" ? new Uint8Array() : chunk.with(middle, (chunk[middle] ?? 0) ^ 0x04);
  }

  /** Sends a frame to the host, with all faults applied. */
  send(frame: Uint8Array, write: (bytes: Uint8Array) => void): void {
    if (this.isSilent) return;
    if (this.#lost > 0) {
      this.#lost -= 1;
      return;
    }
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

  /** Keeps delayed data in order. */
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
