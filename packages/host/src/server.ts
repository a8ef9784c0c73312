import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer as createHttpServer, STATUS_CODES } from "node:http";
import type { Server as TlsServer } from "node:https";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { limits } from "@ledge/model";
import { getRequestListener, RequestError } from "@hono/node-server";
import { type ConnectionBounds, Connections } from "./connections.ts";
import { inTurn } from "./in-turn.ts";
import { connectionOf, countSockets, isEncrypted, type Listening } from "./counted-sockets.ts";

export type Fetch = Parameters<typeof getRequestListener>[0];
export { keyShown, type Listening, onUpgrade } from "./counted-sockets.ts";

/**
 * Returns a fetch whose early requests wait for the app; later ones do not wait for a promise.
 * @param meanwhile answers early requests that need not wait
 */
export function fetchFrom(
  opening: Promise<{ readonly fetch: Fetch }>,
  meanwhile: (request: Request) => Response | undefined = () => undefined,
): Fetch {
  let app: { readonly fetch: Fetch } | undefined;
  const opened = opening.then((ready) => (app = ready));
  // Waiting clients learn of a failure when the server closes.
  opened.catch(() => {});
  return (request, env) => {
    if (app !== undefined) return app.fetch(request, env);
    return meanwhile(request) ?? opened.then((ready) => ready.fetch(request, env));
  };
}

/** Answers a request and returns true, or leaves it to the app. */
export type Before = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/** What a server accepts from its clients, and how long it waits for them, by the names in `limits`. */
export type ServerBounds = ConnectionBounds &
  Readonly<
    Record<
      | "headers"
      | "headerBytes"
      | "headerTimeoutMs"
      | "requestTimeoutMs"
      | "keepAliveMs"
      | "connectionCheckMs"
      | "socketSilenceMs",
      number
    >
  >;

export interface ServerOptions {
  readonly bounds?: ServerBounds;
  /** May answer a request instead of `fetch`. */
  readonly before?: Before;
  /**
   * Counts the server's connections; several servers may share it. By default each server counts its own, by
   * `bounds`.
   */
  readonly connections?: Connections;
}

/**
 * Creates a server for one listener's API; it does not listen yet. Connections that must make room are closed
 * without an answer.
 */
export function createServer(fetch: Fetch, options: ServerOptions = {}): Server {
  const { bounds = limits, before } = options;
  return bound(createHttpServer(headBounds(bounds), listenerOf(fetch, before)), options);
}

const minVersion = "TLSv1.2";

/**
 * Like `createServer`, with TLS 1.2 or newer.
 * @param key and certificate: PEM
 * @throws Error when they cannot be read, or do not belong together
 */
export function createTlsServer(
  fetch: Fetch,
  key: string,
  certificate: string,
  options: ServerOptions = {},
): TlsServer {
  const { bounds = limits, before } = options;
  const secure = {
    key,
    cert: certificate,
    minVersion,
    handshakeTimeout: bounds.headerTimeoutMs,
  } as const;
  const server = createHttpsServer({ ...headBounds(bounds), ...secure }, listenerOf(fetch, before));
  // No answer is possible, because it would have to wait for the handshake.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  return bound(server, options);
}

/**
 * Lets a server use another certificate for new connections; existing ones stay.
 * @param key and certificate: PEM
 * @throws Error as `createTlsServer`
 */
export function replaceCertificate(server: TlsServer, key: string, certificate: string): void {
  server.setSecureContext({ key, cert: certificate, minVersion });
}

/** By server, with the sockets below TLS: one in a handshake is not an HTTP connection yet. */
const sockets = new WeakMap<Listening, Set<Socket>>();

function listenerOf(fetch: Fetch, before?: Before): RequestListener {
  const answer = getRequestListener(fetch, { errorHandler: refuseMalformed });
  const answerInTurn = inTurn((incoming, outgoing) => {
    if (before?.(incoming, outgoing) === true) return;
    nameHost(incoming);
    void answer(incoming, outgoing);
  });
  return (incoming, outgoing) => {
    const connection = connectionOf(incoming.socket);
    if (connection !== undefined) {
      connection.begin();
      outgoing.once("close", () => connection.end());
    }
    answerInTurn(incoming, outgoing);
  };
}

function headBounds({ headerBytes, connectionCheckMs }: ServerBounds): object {
  return { maxHeaderSize: headerBytes, connectionsCheckingInterval: connectionCheckMs };
}

function bound<S extends Listening>(
  server: S,
  { bounds = limits, connections = new Connections(bounds) }: ServerOptions,
): S {
  server.headersTimeout = bounds.headerTimeoutMs;
  server.requestTimeout = bounds.requestTimeoutMs;
  server.keepAliveTimeout = bounds.keepAliveMs;
  server.maxHeadersCount = bounds.headers;
  // For clients that stopped reading, or vanished.
  server.timeout = bounds.socketSilenceMs;
  server.on("clientError", refuseUnreadable);
  server.on("checkExpectation", refuseExpectation);
  const open = new Set<Socket>();
  sockets.set(server, open);
  for (const event of isEncrypted(server) ? ["connection", "secureConnection"] : ["connection"]) {
    server.on(event, (socket: Socket) => {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
    });
  }
  countSockets(server, connections);
  return server;
}

/** Hosts that the request listener accepts as they are; it refuses some other names of this hub. */
const plainHost = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/** Lets the API judge any other `Host`, such as `[fe80:0::1]`: the URL gets a placeholder host. */
function nameHost(incoming: IncomingMessage): void {
  const { url, headers } = incoming;
  if (!url?.startsWith("/") || plainHost.test(headers.host ?? "")) return;
  incoming.url = `http://host.invalid${url}`;
}

/** Answers a request that cannot be parsed, in a form that clients can read. */
function refuseMalformed(error: unknown): Response {
  const isRequest = error instanceof RequestError;
  const message = isRequest ? "this request cannot be read" : "internal error";
  return Response.json({ message }, { status: isRequest ? 422 : 500 });
}

/** Refuses any expectation but `100-continue`. */
function refuseExpectation(_incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(417, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ message: "this expectation cannot be met" }));
}

/** Status and message by the parser's error code. */
const unreadable: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "the head of this request is too large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "the chunk extensions are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "this request took too long to come"],
};

/**
 * Like `refuseMalformed`, for errors of the HTTP parser; the connection ends, as the following bytes cannot
 * be parsed.
 */
function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: ServerResponse | null },
): void {
  // After the beginning of another answer it would be read as part of that.
  if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
  const [status, message] = unreadable[error.code ?? ""] ?? [422, "this request cannot be read"];
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/**
 * Listens on a TCP port.
 * @returns the base address
 * @throws Error of node:net such as EADDRINUSE
 */
export async function listen(server: Listening, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening on a port");
  const shown = address.address.includes(":") ? `[${address.address}]` : address.address;
  return `${isEncrypted(server) ? "https" : "http"}://${shown}:${address.port}`;
}

/** Closes a server; requests under way may end within a grace time. */
export async function closeServer(server: Listening, graceMs: number = limits.closeGraceMs): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  letGo(server);
  // A connection that has just been answered stays open for a further request.
  const idle = setInterval(() => letGo(server), limits.closeCheckMs);
  const end = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of sockets.get(server) ?? []) socket.destroy();
  }, graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(end);
}

/**
 * Closes the connections without a request under way. node:http does not consider one idle that has never
 * sent anything.
 */
function letGo(server: Listening): void {
  server.closeIdleConnections();
  for (const socket of sockets.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}
