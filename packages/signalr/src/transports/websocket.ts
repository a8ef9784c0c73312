import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { Transport, TransportListener } from "./transport.ts";

const normalClosure = 1000;

/** A WebSocket as transport. Each `send` is one WebSocket message, of text or of bytes. */
export class WebSocketTransport implements Transport {
  readonly name = "WebSockets";
  readonly keepsAlive = false;
  readonly isTextOnly = false;
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  /** Whether a pong is on its way, and the newest ping that came meanwhile. */
  #isPonging = false;
  #pinged: Buffer | undefined;

  /** @param socket the one below the WebSocket. */
  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket;
    this.#socket = socket;
  }

  get bufferedAmount(): number {
    return this.#webSocket.bufferedAmount;
  }

  listen(listener: TransportListener): void {
    this.#webSocket.on("message", (data: RawData) => listener.received(bytesOf(data), this));
    this.#webSocket.on("ping", (data: Buffer) => this.#answerPing(data));
    // Every error is followed by "close".
    this.#webSocket.on("error", () => {});
    this.#webSocket.on("close", () => listener.closed(this));
    this.#socket.on("drain", () => listener.drained(this));
  }

  send(bytes: Uint8Array, isBinary: boolean): void {
    this.#webSocket.send(bytes, { binary: isBinary });
  }

  end(): void {
    this.#webSocket.close(normalClosure);
  }

  destroy(): void {
    this.#webSocket.terminate();
  }

  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
  }

  /**
   * At most one pong waits: a client that pings and does not read costs no memory. RFC 6455, 5.5.3, allows to answer
   * only the newest of several pings.
   */
  #answerPing(data: Buffer): void {
    if (this.#isPonging) {
      this.#pinged = data;
      return;
    }
    this.#isPonging = true;
    this.#webSocket.pong(data, false, () => {
      this.#isPonging = false;
      const next = this.#pinged;
      this.#pinged = undefined;
      if (next !== undefined && this.#webSocket.readyState === this.#webSocket.OPEN) this.#answerPing(next);
    });
  }
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
