import type { Transport, TransportListener, TransportName } from "./transport.ts";

/** What the transports over HTTP have in common: clients send with POST. */
export abstract class HttpTransport implements Transport {
  abstract readonly name: TransportName;
  abstract readonly keepsAlive: boolean;
  abstract readonly isTextOnly: boolean;
  abstract readonly bufferedAmount: number;
  protected listener: TransportListener | undefined;
  #isPaused = false;
  #waiting: (() => void)[] = [];
  #isClosed = false;

  abstract send(bytes: Uint8Array, isBinary: boolean): void;
  abstract end(): void;

  listen(listener: TransportListener): void {
    this.listener = listener;
  }

  /** Takes what a client has posted. Resolves when the client may post more. */
  async post(body: Uint8Array): Promise<void> {
    if (this.#isPaused) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (!this.#isClosed) this.listener?.received(body, this);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  destroy(): void {
    this.closed();
  }

  /** Reports the end, once. */
  protected closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.resume();
    this.listener?.closed(this);
  }
}
