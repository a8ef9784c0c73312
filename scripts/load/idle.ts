// Connections that are idle or very slow.
import { connect, type Socket } from "node:net";
import { addressOf } from "./caller.ts";

/** Idle connections use addresses from here on, apart from those of clients. */
const firstNumber = 100_000;
const dripMs = 1000;

/**
 * Keeps a number of connections open: a third silent, a third after one request, a third that never end their
 * headers.
 */
export class IdleConnections {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  readonly #dripping = new Set<Socket>();
  readonly #drip: NodeJS.Timeout;
  #closed = false;
  /** How often the hub closed one and it was opened again. */
  reopened = 0;

  constructor(port: number, count: number) {
    this.#port = port;
    for (let number = 0; number < count; number += 1) this.#open(number);
    this.#drip = setInterval(() => {
      for (const socket of this.#dripping) socket.write("X-Slow: 1\r\n");
    }, dripMs);
  }

  get size(): number {
    return this.#sockets.size;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#drip);
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(number: number): void {
    const socket = connect({
      port: this.#port,
      host: "127.0.0.1",
      localAddress: addressOf(firstNumber + number),
    });
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#dripping.delete(socket);
      if (this.#closed) return;
      this.reopened += 1;
      setTimeout(() => !this.#closed && this.#open(number), dripMs);
    });
    socket.resume();
    const head = "GET /hub HTTP/1.1\r\nHost: localhost\r\n";
    if (number % 3 === 1) socket.write(`${head}\r\n`);
    if (number % 3 === 2) {
      socket.write(head);
      this.#dripping.add(socket);
    }
  }
}
