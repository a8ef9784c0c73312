import { hkdfSync } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request, type RequestOptions, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { SecretKey, SecretKeys } from "@ledge/host/secrets/keys";
import { limits } from "@ledge/model";
import { spannedBelow, presentTraceparent } from "../tracing/tracing.ts";

/** Where another process listens: host:port. */
export type PeerAddress = string;

/** A process cannot be reached, or has broken off. `isSent`: it may have got the request. */
export class PeerError extends Error {
  override readonly name = "PeerError";
  readonly isSent: boolean;
  constructor(message: string, isSent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isSent = isSent;
  }
}

/** Handles requests of other processes. */
export interface PeerHandlers {
  /** Answers a call; what it throws becomes an answer of status 500. */
  call(path: string, json: unknown, signal: AbortSignal): Promise<unknown>;
  /** Answers a request that another process passes on. */
  passed(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** Takes a connection that another process passes on. */
  upgraded(incoming: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Paths of calls begin with it; all others are passed on. */
const callPath = "/.cluster/";

// Both ends prove that they have the cloud's secret key, so there are no certificates. Each connection has keys of its own.
const tls = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
} as const;

/** What the processes of one cloud send each other directly, encrypted with a key that only they have. */
export class PeerLink {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: limits.peerSockets, timeout: 0 });
  readonly #own: () => SecretKey;
  #handlers: PeerHandlers | undefined;

  constructor(secrets: Pick<SecretKeys, "get" | "sealing">) {
    this.#own = () => secrets.sealing();
    const pskCallback = (_socket: unknown, identity: string): Buffer | null => {
      const secret = secrets.get(identity);
      return secret === undefined ? null : pskOf(secret);
    };
    this.#server = createServer({ ...tls, pskCallback, maxHeaderSize: limits.peerHeaderBytes });
    this.#server.on("request", (incoming, outgoing) => void this.#answer(incoming, outgoing));
    this.#server.on("upgrade", (incoming, socket, head) => {
      if (this.#handlers === undefined) socket.destroy();
      else this.#handlers.upgraded(incoming, socket, head);
    });
    // Whoever lacks the key is nobody of ours.
    this.#server.on("tlsClientError", (_error, socket) => socket.destroy());
    this.#server.requestTimeout = 0;
  }

  /** Begins to answer; requests before that are refused. */
  handle(handlers: PeerHandlers): void {
    this.#handlers = handlers;
  }

  /** Listens. @returns the address for the others @throws as node:net */
  async listen(host: string, port: number): Promise<PeerAddress> {
    this.#server.listen(port, host);
    await once(this.#server, "listening");
    const { port: found } = this.#server.address() as AddressInfo;
    return `${host.includes(":") ? `[${host}]` : host}:${found}`;
  }

  /**
   * Calls another process.
   * @returns what it answers, as JSON
   * @throws PeerError
   */
  async call(
    address: PeerAddress,
    path: string,
    json: unknown,
    { timeoutMs = limits.busAnswerMs, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<unknown> {
    const body = Buffer.from(JSON.stringify(json ?? null));
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const ended = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    const traceparent = presentTraceparent();
    const headers = { "content-length": body.length, ...(traceparent !== undefined && { traceparent }) };
    const head = { method: "POST", path: callPath + path, headers };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const asked = request({ ...this.#to(address), ...head, signal: ended }, resolve);
    let isSent = false;
    asked.once("finish", () => (isSent = true));
    asked.once("error", reject);
    asked.end(body);
    try {
      const answer = await promise;
      const text = Buffer.concat(await answer.toArray()).toString();
      if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}: ${text}`);
      return JSON.parse(text) as unknown;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new PeerError(`${address}: ${message}`, isSent && code !== "ECONNREFUSED", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Begins a request to another process, as its options say. */
  begin(address: PeerAddress, options: RequestOptions): ReturnType<typeof request> {
    return request({ ...this.#to(address), ...options });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #to(address: PeerAddress): RequestOptions {
    const { hostname, port } = new URL(`https://${address}`);
    const own = this.#own();
    const pskCallback = (): { psk: Buffer; identity: string } => ({ psk: pskOf(own.key), identity: own.id });
    return {
      ...tls,
      agent: this.#agent,
      host: hostname.replace(/^\[|\]$/g, ""),
      port,
      pskCallback,
      // The key stands for the certificate: a server without it cannot answer.
      checkServerIdentity: () => undefined,
      rejectUnauthorized: false,
    } as RequestOptions;
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url = "", headers } = incoming;
    const handlers = this.#handlers;
    if (handlers === undefined) return void outgoing.writeHead(503).end("this process is starting");
    if (!url.startsWith(callPath)) return handlers.passed(incoming, outgoing);
    const left = new AbortController();
    outgoing.once("close", () => left.abort());
    try {
      const json: unknown = JSON.parse(Buffer.concat(await incoming.toArray()).toString());
      const path = url.slice(callPath.length);
      const { traceparent } = headers;
      const sent = typeof traceparent === "string" ? traceparent : undefined;
      const answer = await spannedBelow(path, sent, () => handlers.call(path, json, left.signal));
      outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer ?? null));
    } catch (error) {
      if (!outgoing.headersSent) outgoing.writeHead(500).end((error as Error).message);
    }
  }
}

function pskOf(secret: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", "ledge-cluster", 32));
}
