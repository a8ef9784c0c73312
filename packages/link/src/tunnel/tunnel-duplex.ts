import { Duplex } from "node:stream";
import { limits } from "@ledge/model";

type Done = (error?: Error | null) => void;

/** Sees the bytes of a tunnel before anybody else does. */
export interface Watch {
  received(chunk: Buffer): void;
  sent(chunk: Buffer): void;
}

/**
 * The byte stream of a tunnel, over any carrier. HTTP/2 runs on it at the cloud's end.
 *
 * node:http2 does not read while a write is under way, so two ends that wait for each other to read would
 * deadlock. Therefore a write completes once its bytes are buffered here. The buffer is bounded: HTTP/2 sends
 * no more than the other end's window, which grows only as that end reads, and the heads of requests.
 *
 * One end that never waits is enough. The hub's end runs on its socket, without a buffer, where it can.
 */
export class TunnelDuplex extends Duplex {
  readonly #carrier: Duplex;
  readonly #heldBytes: number;
  #received = 0;
  #waiting: Done | undefined;
  #watch: Watch | undefined;

  /** @param heldBytes how many bytes may be buffered before a write has to wait */
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

  /** The bytes received so far; while this grows, the other end is alive. */
  get received(): number {
    return this.#received;
  }

  /** Shows all bytes from now on to a watcher. */
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

  /** HTTP/2 writes a frame in several parts. */
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
    // Sends all parts in one call. node:http2 hands over all frames of a turn at once, and no more before `done`.
    this.#carrier.uncork();
  }

  #release(): void {
    const done = this.#waiting;
    this.#waiting = undefined;
    done?.();
  }
}
