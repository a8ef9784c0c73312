import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";

/** What a simulated device with SOAP does with what reaches it. */
export interface Hearing {
  /** Answers a request, whose body was read, or leaves it unanswered. */
  readonly request: (request: IncomingMessage, response: ServerResponse, body: string) => unknown;
  /** Hears of a connection before its first request. */
  readonly connection?: (socket: Socket) => void;
  /** Answers a search; undefined for what is none. */
  readonly search: (message: string) => string | undefined;
}

/** A device's place on 127.0.0.1: HTTP at a port that it keeps while it is away, and the UDP of searches. */
export class SoapServer {
  readonly #hearing: Hearing;
  /** With which it takes TLS, from the next time that it listens; undefined: it takes HTTP. */
  certificate: { readonly key: string; readonly certificate: string } | undefined;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #udp: UdpSocket | undefined;
  #port = 0;

  constructor(hearing: Hearing) {
    this.#hearing = hearing;
  }

  get port(): number {
    return this.#port;
  }

  /** Takes requests, again at the port that it had. */
  async listen(port = this.#port): Promise<void> {
    const hear = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#hear(request, response);
    const { key, certificate: cert } = this.certificate ?? {};
    const server =
      key === undefined || cert === undefined ? createServer(hear) : createSecureServer({ key, cert }, hear);
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      this.#hearing.connection?.(socket);
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Answers searches, but not while it takes no requests. @returns the UDP port */
  async announce(): Promise<number> {
    const udp = createSocket("udp4");
    this.#udp = udp;
    udp.on("message", (message, { address, port }) => {
      const answer = this.#server && this.#hearing.search(message.toString());
      if (answer !== undefined) udp.send(answer, port, address);
    });
    udp.bind(0, "127.0.0.1");
    await once(udp, "listening");
    return udp.address().port;
  }

  /** Ends all connections, and takes no more. */
  async unplug(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  async close(): Promise<void> {
    await this.unplug();
    this.#udp?.close();
    this.#udp = undefined;
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    response.on("error", () => {});
    await this.#hearing.request(request, response, Buffer.concat(chunks).toString());
  }
}
