import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { WireEvent } from "./wire-event.ts";

/** A request that a receiver got. */
export interface Received {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: {
    readonly siteId: string;
    readonly targetId: string;
    readonly batchId: string;
    readonly events: readonly WireEvent[];
  };
  /** Whether the signature fits one of the secrets that the receiver knows. */
  readonly isSigned: boolean;
}

/** What a receiver answers to a request; by default 204. */
export type Answering = (received: Received, response: ServerResponse) => void;

/** A program that receives the events of a site. It checks signatures with code of its own. */
export class TestReceiver {
  readonly received: Received[] = [];
  readonly secrets: string[] = [];
  /** What it has accepted, in order. */
  readonly events: WireEvent[] = [];
  answer: Answering = (_, response) => void response.writeHead(204).end();
  #server: Server = this.#serve();
  #port = 0;

  static async start(): Promise<TestReceiver> {
    const receiver = new TestReceiver();
    await receiver.listen();
    return receiver;
  }

  /** How many connections are open, and how many were at most. */
  readonly connections = { open: 0, most: 0 };

  get url(): string {
    return `http://127.0.0.1:${this.#port}/in`;
  }

  /** Listens, on the same port again after a stop. */
  async listen(): Promise<void> {
    this.#server = this.#serve();
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }

  #serve(): Server {
    const server = createServer((request, response) => void this.#take(request, response));
    server.on("connection", (socket) => {
      this.connections.open++;
      this.connections.most = Math.max(this.connections.most, this.connections.open);
      socket.once("close", () => this.connections.open--);
    });
    return server;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      return;
    }
    const text = Buffer.concat(chunks).toString();
    const { method = "", headers } = request;
    const body = JSON.parse(text) as Received["body"];
    const received = { method, headers, body, isSigned: this.#isSigned(headers, text) };
    this.received.push(received);
    response.on("finish", () => {
      if (response.statusCode < 300) this.events.push(...body.events);
    });
    this.answer(received, response);
  }

  #isSigned(headers: IncomingMessage["headers"], text: string): boolean {
    const [id, at, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
      String(headers[name]),
    ) as [string, string, string];
    return this.secrets.some((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
      const expected = createHmac("sha256", key).update(`${id}.${at}.${text}`).digest();
      return signatures.split(" ").some((signature) => {
        const [version, digest = ""] = signature.split(",");
        const given = Buffer.from(digest, "base64");
        return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
      });
    });
  }
}

/** Answers with a status, and nothing else. */
export function answering(status: number, headers: Readonly<Record<string, string>> = {}): Answering {
  return (_, response) => void response.writeHead(status, headers).end();
}
