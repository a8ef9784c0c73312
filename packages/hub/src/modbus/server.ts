import type { AddressInfo, BlockList, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { isIn, networksIn } from "@ledge/link";
import { type Asked, takeRequests, toAnswer } from "./frames.ts";

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Addresses and networks in CIDR notation: nobody else is answered. */
  readonly allow: readonly string[];
  readonly clients: number;
  /** A client that asks nothing for so long is cut off, ms. */
  readonly idleMs: number;
  /** A client that leaves more answers unread than so many bytes is cut off. */
  readonly unreadBytes: number;
  /** Answers a request of a client, named by its address. */
  readonly answer: (client: string, request: Asked) => Buffer | Promise<Buffer>;
}

/** What a server has done since it started. */
export interface ServerFigures {
  readonly clients: number;
  readonly requests: number;
  /** Connections of who may not connect, and beyond the limit. */
  readonly refused: number;
  /** Connections that spoke something else. */
  readonly garbled: number;
}

/** A Modbus TCP server. It answers the requests of a connection one after the other. */
export class ModbusTcpServer {
  readonly #options: ServerOptions;
  readonly #allowed: BlockList;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #requests = 0;
  #refused = 0;
  #garbled = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#allowed = networksIn(options.allow);
    this.#server = createServer({ noDelay: true, keepAlive: true }, (socket) => this.#take(socket));
  }

  get figures(): ServerFigures {
    const { size: clients } = this.#sockets;
    return { clients, requests: this.#requests, refused: this.#refused, garbled: this.#garbled };
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** @throws what the operating system says, when it cannot listen */
  listen(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off("error", reject);
        this.#server.on("error", () => {});
        resolve();
      });
    });
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #take(socket: Socket): void {
    const client = addressOf(socket.remoteAddress);
    socket.on("error", () => {});
    if (!isIn(this.#allowed, client) || this.#sockets.size >= this.#options.clients) {
      this.#refused += 1;
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.setTimeout(this.#options.idleMs, () => socket.destroy());
    let received: Buffer = Buffer.alloc(0);
    let answered: Promise<void> = Promise.resolve();
    socket.on("data", (bytes: Buffer) => {
      const { requests, rest } = takeRequests(Buffer.concat([received, bytes]));
      received = rest ?? Buffer.alloc(0);
      if (requests.length > 0) {
        // What follows waits in the operating system, so that a client cannot fill the memory with requests.
        socket.pause();
        answered = answered.then(() => this.#answerAll(socket, client, requests));
        void answered.then(() => socket.resume());
      }
      if (rest === undefined) {
        this.#garbled += 1;
        void answered.then(() => socket.destroy());
      }
    });
  }

  async #answerAll(socket: Socket, client: string, requests: readonly Asked[]): Promise<void> {
    for (const request of requests) {
      if (socket.destroyed) return;
      this.#requests += 1;
      const answer = await this.#options.answer(client, request);
      if (socket.destroyed) return;
      socket.write(toAnswer(request, answer));
      if (socket.writableLength > this.#options.unreadBytes) socket.destroy();
    }
  }
}

/** Returns an address without the form in which a socket of both families shows IPv4. */
function addressOf(remote = ""): string {
  return remote.replace(/^::ffff:(?=\d+\.)/, "");
}
