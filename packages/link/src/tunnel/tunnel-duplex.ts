import { Duplex } from "node:stream";
import { limits } from "@ledge/model";

type Done = (error?: Error | null) => void;

/** Sees the bytes that go through a tunnel, before anybody else does. */
export interface Watch {
  received(chunk: Buffer): void;
  sent(chunk: Buffer): void;
}

/**
 * The bytes of a tunnel, whatever carries them: HTTP/2 at both ends runs on this.
 *
 * node:http2 does not read while a write is under way. Two ends that both wait for the other to read would wait
 * for ever; so a write is done when its bytes are held here. How much that is has a bound: HTTP/2 sends no more
 * than the other end's window, which grows only as that end reads.
 */
export class TunnelDuplex extends Duplex {
  readonly #carrier: Duplex;
  readonly #heldBytes: number;
  #received = 0;
  #waiting: Done | undefined;
  #watch: Watch | undefined;

  /** @param heldBytes what may wait to be sent until a write has to */
  constructor(carrier: Duplex, heldBytes: number = limits.tunnelHeldBytes) {
    super({ allowHalfOpen: false });
    this.#carrier = carrier;
    this.#heldBytes = heldBytes;
    carrier.on("data", (chunk: Buffer) => {
      this.#received += chunk.length;
      this.#watch?.received(chunk);
      if (!this.push(chunk)) carrier.pause();
    });
    carrier.on("drain", () => this.#release());
    carrier.once("end", () => this.push(null));
    carrier.on("error", (error) => this.destroy(error));
    carrier.once("close", () => this.destroy());
    carrier.pause();
  }

  /** Bytes that have come in: as long as it grows the other end is there. */
  get received(): number {
    return this.#received;
  }

  /** Shows all bytes from now on. */
  watch(watch: Watch): void {
    this.#watch = watch;
  }

  override _read(): void {
    this.#carrier.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    this.#carrier.cork();
    this.#send(chunk);
    this.#finish(done);
  }

  /** HTTP/2 writes a frame in parts. */
  override _writev(parts: readonly { readonly chunk: Buffer }[], done: Done): void {
    this.#carrier.cork();
    for (const { chunk } of parts) this.#send(chunk);
    this.#finish(done);
  }

  override _final(done: Done): void {
    this.#carrier.end();
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#release();
    this.#carrier.destroy();
    done(error);
  }

  #send(chunk: Buffer): void {
    this.#watch?.sent(chunk);
    this.#carrier.write(chunk);
  }

  #finish(done: Done): void {
    if (this.#carrier.writableLength <= this.#heldBytes) done();
    else this.#waiting = done;
    // All parts of a frame, and all frames of this turn, go out by one call.
    setImmediate(() => this.#carrier.uncork());
  }

  #release(): void {
    const done = this.#waiting;
    this.#waiting = undefined;
    done?.();
  }
}
