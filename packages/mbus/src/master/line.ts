import { MbusError } from "../error.ts";
import { type Frame, longestFrame, readFrame, writeFrame } from "../frame.ts";
import { FrameReader } from "../frame-reader.ts";
import { MasterFault } from "./fault.ts";

/** Time for a master: real, or simulated in tests. */
export interface MasterClock {
  /** Calls back once after `ms`. Returns a function that cancels. */
  after(ms: number, callback: () => void): () => void;
}

export interface LineOptions {
  /** Sends bytes to the bus. */
  readonly write: (bytes: Uint8Array) => void;
  readonly clock: MasterClock;
  /** Bits per second, from which the times of answers follow; 2400 by default. */
  readonly baudRate?: number;
  /** How much later than on the wire an answer may come, ms, for gateways; 100 by default. */
  readonly latencyMs?: number;
}

/** The time of a bit counts 11 times for each byte: start, eight bits, parity, stop. */
const bitsPerByte = 11;
/** A slave begins to answer within 330 bits and 50 ms (EN 13757-2). */
const answerBits = 330;
const answerMs = 50;
/** Silence of this many bits ends a frame. */
const gapBits = 33;

/** What came back: a frame, nothing, or bytes that are not one frame. */
export type Answer = Frame | "silence" | "garbled";

/** The master's end of a bus: sends a frame, and waits for what comes back. */
export class MasterLine {
  readonly #options: LineOptions;
  #baudRate: number;
  #take: (bytes: Uint8Array) => void = () => {};
  #end: (fault: MasterFault) => void = () => {};
  #queue: Promise<unknown> = Promise.resolve();
  #closed: MasterFault | undefined;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#baudRate = options.baudRate ?? 2400;
  }

  get baudRate(): number {
    return this.#baudRate;
  }

  /** The line has another speed from now on. */
  set baudRate(baudRate: number) {
    this.#baudRate = baudRate;
  }

  /** Called with the bytes from the bus. Ignores those that no exchange waits for. */
  receive(bytes: Uint8Array): void {
    this.#take(bytes);
  }

  /** Ends the exchange under way, and every later one, with a fault. */
  close(reason: string): void {
    this.#closed ??= new MasterFault("closed", reason);
    this.#end(this.#closed);
  }

  /**
   * Sends a frame after all frames before it, and returns the answer.
   * @param mayAnswer false for a broadcast: waits only until it is sent
   * @param signal stops waiting; a frame that is sent stays sent
   * @throws MasterFault `cancelled` or `closed`
   */
  exchange(frame: Frame, mayAnswer = true, signal?: AbortSignal): Promise<Answer> {
    const turn = this.#queue.then(() => this.#exchange(writeFrame(frame), mayAnswer, signal));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  #exchange(request: Uint8Array, mayAnswer: boolean, signal: AbortSignal | undefined): Promise<Answer> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(cancelled());
    return new Promise((resolve, reject) => {
      let stopTimer = (): void => {};
      const finish = (settle: () => void): void => {
        stopTimer();
        signal?.removeEventListener("abort", onAbort);
        this.#take = () => {};
        this.#end = () => {};
        settle();
      };
      const onAbort = (): void => finish(() => reject(cancelled()));
      const received = new Received(request);
      const sentMs = this.#msOf(request.length * bitsPerByte);
      const wait = (ms: number): void => {
        stopTimer();
        stopTimer = this.#options.clock.after(ms, () => finish(() => resolve(received.answer())));
      };
      this.#end = (fault) => finish(() => reject(fault));
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#take = (bytes) => {
        received.push(bytes);
        wait(this.#gapMs(received));
      };
      const { latencyMs = 100 } = this.#options;
      wait(mayAnswer ? sentMs + this.#msOf(answerBits) + answerMs + latencyMs : sentMs);
      this.#options.write(request);
    });
  }

  /** How long nothing may come until the answer is over. Behind a whole frame a second one would follow at once. */
  #gapMs(received: Received): number {
    const { latencyMs = 100 } = this.#options;
    if (received.isEcho) return this.#msOf(answerBits) + answerMs + latencyMs;
    return received.isWhole ? this.#msOf(gapBits) + 2 : this.#msOf(gapBits) + latencyMs;
  }

  #msOf(bits: number): number {
    return Math.ceil((bits * 1000) / this.#baudRate);
  }
}

/** The bytes that come back after a request. Some level converters return the request itself first. */
class Received {
  readonly #request: Uint8Array;
  readonly #reader = new FrameReader();
  #bytes: Uint8Array = new Uint8Array(0);
  #frames = 0;
  #length = 0;

  constructor(request: Uint8Array) {
    this.#request = request;
  }

  push(bytes: Uint8Array): void {
    this.#length += bytes.length;
    // More than any answer: the rest of the noise does not matter.
    if (this.#bytes.length > 2 * longestFrame) return;
    this.#bytes = Uint8Array.from([...this.#bytes, ...bytes]);
    this.#frames += this.#reader.push(bytes).length;
  }

  /** Whether only the request has come back so far. */
  get isEcho(): boolean {
    return this.#length === this.#request.length && this.#startsWithRequest();
  }

  get isWhole(): boolean {
    return this.#frames > 0 && this.#reader.waiting === 0;
  }

  answer(): Answer {
    if (this.#length === 0 || this.isEcho) return "silence";
    if (this.#length !== this.#bytes.length) return "garbled";
    const bytes = this.#startsWithRequest() ? this.#bytes.subarray(this.#request.length) : this.#bytes;
    try {
      return readFrame(bytes);
    } catch (error) {
      if (error instanceof MbusError) return "garbled";
      throw error;
    }
  }

  #startsWithRequest(): boolean {
    return this.#request.length > 1 && this.#request.every((byte, i) => byte === this.#bytes[i]);
  }
}

function cancelled(): MasterFault {
  return new MasterFault("cancelled", "nobody waits for the answer");
}
