import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A message as a phone shows it. */
export interface Shown {
  readonly title: string;
  readonly text: string;
  /** The priority in the server's own terms; the type of the message in Matrix. */
  readonly priority: number | string;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}
/** What a server makes of a request: a message, or a refusal with its status. */
type Taken = (Shown & { readonly once?: string }) | number;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/**
 * How each server reads a request, by its public documentation: ntfy's "publish as JSON", Gotify's createMessage, and Matrix's
 * PUT /rooms/{roomId}/send/{eventType}/{txnId}. Fields that these do not name are refused, so that a misspelt one fails.
 */
const servers = {
  ntfy({ method, path, headers, body }: Asked, token: string): Taken {
    if (method !== "POST" || path !== "/") return 404;
    if (headers.authorization !== `Bearer ${token}`) return headers.authorization === undefined ? 403 : 401;
    const { topic, title, message, priority, tags, ...others } = body;
    const isWell =
      typeof topic === "string" &&
      /^[-_A-Za-z0-9]{1,64}$/.test(topic) &&
      Array.isArray(tags) &&
      tags.every(isText) &&
      isText(title) &&
      isText(message) &&
      [1, 2, 3, 4, 5].includes(priority as number);
    if (!isWell || Object.keys(others).length > 0) return 400;
    return { title, text: message, priority: priority as number };
  },
  gotify({ method, path, headers, body }: Asked, token: string): Taken {
    if (method !== "POST" || path !== "/message") return 404;
    if (headers["x-gotify-key"] !== token) return 401;
    const { title, message, priority, ...others } = body;
    const isWell = isText(title) && isText(message) && Number.isInteger(priority) && Number(priority) <= 10;
    if (!isWell || Object.keys(others).length > 0) return 400;
    return { title, text: message, priority: Number(priority) };
  },
  matrix({ method, path, headers, body }: Asked, token: string): Taken {
    const [, room, transaction] =
      /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/send\/m\.room\.message\/([^/]+)$/.exec(path) ?? [];
    if (method !== "PUT" || room === undefined || transaction === undefined) return 404;
    if (headers.authorization !== `Bearer ${token}`) return 401;
    if (!/^![^:]+:\S+$/.test(decodeURIComponent(room))) return 403;
    const { msgtype, body: text, ...others } = body;
    if (!isText(text) || !["m.text", "m.notice"].includes(String(msgtype)) || Object.keys(others).length > 0)
      return 400;
    const [title = "", ...rest] = text.split(": ");
    return { title, text: rest.join(": "), priority: String(msgtype), once: transaction };
  },
} satisfies Readonly<Record<string, (asked: Asked, token: string) => Taken>>;

export type PhoneServerKind = keyof typeof servers;

/** A server of ntfy, Gotify or Matrix, as far as it takes messages, with the phone behind it. */
export class PhoneServer {
  /** The messages that the phone has shown, oldest first. */
  readonly shown: Shown[] = [];
  /** The statuses with which requests were refused. */
  readonly refused: number[] = [];
  token = "t0ken-of-the-server";
  readonly #kind: PhoneServerKind;
  readonly #seen = new Set<string>();
  #server: Server | undefined;
  #port = 0;
  #told: () => void = () => {};

  private constructor(kind: PhoneServerKind) {
    this.#kind = kind;
  }

  /** @param port 0: a free one */
  static async start(kind: PhoneServerKind, port = 0): Promise<PhoneServer> {
    const server = new PhoneServer(kind);
    server.#port = port;
    await server.restart();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Serves at the same port as before. */
  async restart(): Promise<void> {
    this.#server = createServer((request, response) => {
      void this.#take(request).then((status) =>
        response.writeHead(status, { "content-type": "application/json" }).end("{}"),
      );
    }).listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Cuts all connections and refuses new ones. */
  async kill(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  /** Resolves with the first message that fits, once the phone has shown it. */
  async message(fits: (shown: Shown) => boolean): Promise<Shown> {
    for (;;) {
      const found = this.shown.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (this.#told = resolve));
    }
  }

  /** Resolves once a request was refused. */
  async refusal(): Promise<number> {
    while (this.refused[0] === undefined) await new Promise<void>((resolve) => (this.#told = resolve));
    return this.refused[0];
  }

  async #take(request: IncomingMessage): Promise<number> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const { method = "", url: path = "", headers } = request;
    const isJson = headers["content-type"] === "application/json";
    const body = isJson ? (JSON.parse(text) as Asked["body"]) : {};
    const taken = servers[this.#kind]({ method, path, headers, body }, this.token);
    if (typeof taken === "number") this.refused.push(taken);
    else {
      const { once: transaction, ...shown } = taken;
      const isRepeated = transaction !== undefined && this.#seen.has(transaction);
      if (transaction !== undefined) this.#seen.add(transaction);
      if (!isRepeated) this.shown.push(shown);
    }
    this.#told();
    return typeof taken === "number" ? taken : 200;
  }
}
