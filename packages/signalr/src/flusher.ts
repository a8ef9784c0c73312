import type { Clock } from "./clock.ts";

/** Something with unsent messages. */
export interface Flushable {
  flush(joiner: Joiner): void;
}

/**
 * Joins frames into one write. Connections that were sent the same frames share the bytes: the last result is
 * kept until `forget`.
 */
class Joiner {
  #frames: readonly Uint8Array[] = [];
  #bytes: Uint8Array = new Uint8Array(0);

  join(frames: readonly Uint8Array[]): Uint8Array {
    const [only] = frames;
    if (frames.length === 1 && only !== undefined) return only;
    if (this.#isLast(frames)) return this.#bytes;
    this.#frames = frames;
    this.#bytes = Buffer.concat(frames);
    return this.#bytes;
  }

  forget(): void {
    this.#frames = [];
    this.#bytes = new Uint8Array(0);
  }

  #isLast(frames: readonly Uint8Array[]): boolean {
    if (frames.length !== this.#frames.length) return false;
    for (let index = 0; index < frames.length; index++) {
      if (frames[index] !== this.#frames[index]) return false;
    }
    return true;
  }
}
export type { Joiner };

/**
 * Decides when unsent messages are written. The first write after a pause happens at the end of the current turn
 * of the event loop. While much is sent, writes are `joinMs` apart, so that one write carries many messages.
 */
export class Flusher {
  readonly #clock: Clock;
  readonly #joinMs: number;
  readonly #joiner = new Joiner();
  #joined: Flushable[] = [];
  #soon: Flushable[] = [];
  #flushedAt = -Infinity;

  constructor(clock: Clock, joinMs: number) {
    this.#clock = clock;
    this.#joinMs = joinMs;
  }

  /** Flushes at the end of this turn of the event loop. */
  soon(flushable: Flushable): void {
    if (this.#soon.push(flushable) > 1) return;
    setImmediate(() => {
      const due = this.#soon;
      this.#soon = [];
      this.#flush(due);
    });
  }

  /** Flushes together with others. */
  joined(flushable: Flushable): void {
    if (this.#joined.push(flushable) > 1) return;
    const wait = this.#flushedAt + this.#joinMs - this.#clock.now();
    if (wait > 0) this.#clock.after(wait, () => this.#flushJoined());
    else setImmediate(() => this.#flushJoined());
  }

  #flushJoined(): void {
    const due = this.#joined;
    this.#joined = [];
    this.#flushedAt = this.#clock.now();
    this.#flush(due);
  }

  #flush(due: readonly Flushable[]): void {
    for (const one of due) one.flush(this.#joiner);
    this.#joiner.forget();
  }
}
