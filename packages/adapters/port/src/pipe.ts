import type { Duplex } from "node:stream";
import type { Channel, Receiver } from "./channel.ts";

const headerBytes = 4;

/** Encodes a message for a pipe: 4 bytes of length (big-endian), then that many bytes of JSON. */
export function pipeFrame(message: object): Buffer {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame.writeUInt32BE(length, 0);
  frame.write(text, headerBytes);
  return frame;
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** Returns the header of a frame as a string in Latin-1. */
function headerText(length: number): string {
  return String.fromCharCode(length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255);
}

/**
 * Makes a channel over a pipe between two processes. It neither throws nor buffers more than one message of
 * `messageBytes`, whatever the other end writes: a longer message or invalid JSON breaks the channel.
 */
export function pipeChannel<Out extends object, In>(pipe: Duplex, messageBytes: number): Channel<Out, In> {
  return new Pipe(pipe, messageBytes);
}

class Pipe<Out extends object, In> implements Channel<Out, In> {
  readonly #pipe: Duplex;
  readonly #messageBytes: number;
  #receiver: Receiver<In> | undefined;
  #chunks: Buffer[] = [];
  #held = 0;
  #wanted = headerBytes;
  #isHeader = true;
  #paused = false;
  #broken = false;

  constructor(pipe: Duplex, messageBytes: number) {
    this.#pipe = pipe;
    this.#messageBytes = messageBytes;
    // The other process may end at any time; `closed` already tells the receiver.
    pipe.on("error", () => {});
  }

  post(message: Out): void {
    if (!this.#pipe.writable) return;
    const text = JSON.stringify(message);
    // A socket writes a string of one byte per character without a buffer in between.
    if (isAscii(text)) this.#pipe.write(`${headerText(text.length)}${text}`, "latin1");
    else this.#pipe.write(pipeFrame(message));
  }

  open(receiver: Receiver<In>): void {
    this.#receiver = receiver;
    this.#pipe.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#held += chunk.length;
      this.#deliver();
    });
    if (this.#pipe.destroyed) queueMicrotask(() => receiver.closed());
    else this.#pipe.once("close", () => receiver.closed());
  }

  hold(held: boolean): void {
    if (this.#paused === held) return;
    this.#paused = held;
    if (held) {
      this.#pipe.pause();
    } else {
      this.#pipe.resume();
      this.#deliver();
    }
  }

  close(): void {
    // Flushes what was posted, and destroys the pipe even when the other end does not read.
    if (this.#pipe.writable) this.#pipe.end(() => this.#pipe.destroy());
    else this.#pipe.destroy();
  }

  #deliver(): void {
    while (!this.#broken && !this.#paused && this.#held >= this.#wanted) {
      const bytes = this.#take(this.#wanted);
      this.#isHeader = !this.#isHeader;
      if (!this.#isHeader) {
        this.#wanted = bytes.readUInt32BE(0);
        if (this.#wanted > this.#messageBytes) this.#break(`it sent a message of ${this.#wanted} bytes`);
        continue;
      }
      this.#wanted = headerBytes;
      let message: In;
      try {
        message = JSON.parse(bytes.toString()) as In;
      } catch {
        this.#break("it sent an invalid message");
        return;
      }
      this.#receiver?.message(message);
    }
  }

  /** Takes the next `count` bytes, which must have arrived. */
  #take(count: number): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const rest = all.subarray(count);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#held = rest.length;
    return all.subarray(0, count);
  }

  #break(reason: string): void {
    this.#broken = true;
    this.#chunks = [];
    this.#held = 0;
    this.#pipe.pause();
    this.#receiver?.broken?.(reason);
  }
}
