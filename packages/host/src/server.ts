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
import { connectionOf, countSockets, isEncrypted, type Listening } from "./counted-sockets.ts";

export type Fetch = Parameters<typeof getRequestListener>[0];
export { keyShown, type Listening, onUpgrade } from "./counted-sockets.ts";

/**
 * Requests that come before the app is there wait for it; afterwards none waits for a promise.
 * @param meanwhile answers what need not wait
 */
export function fetchFrom(
  opening: Promise<{ readonly fetch: Fetch }>,
  meanwhile: (request: Request) => Response | undefined = () => undefined,
): Fetch {
  let app: { readonly fetch: Fetch } | undefined;
  const opened = opening.then((ready) => (app = ready));
  // Who waits is told by closing the server.
  opened.catch(() => {});
  return (request, env) => {
    if (app !== undefined) return app.fetch(request, env);
    return meanwhile(request) ?? opened.then((ready) => ready.fetch(request, env));
  };
}

/** Answers a request and returns true, or leaves it to others. */
export type Before = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/** What a server takes from its clients, and for how long it waits for them: by their names in `limits`. */
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
  /** What may answer a request in the place of `fetch`. */
  readonly before?: Before;
  /** Where its connections count; several servers may share it. By default it counts its own, by `bounds`. */
  readonly connections?: Connections;
}

/** A server for one listener's API; it is not listening yet. Who has to go for others is closed without a word. */
export function createServer(fetch: Fetch, options: ServerOptions = {}): Server {
  const { bounds = limits, before } = options;
  return bound(createHttpServer(headBounds(bounds), listenerOf(fetch, before)), options);
}

const minVersion = "TLSv1.2";

/**
 * As `createServer`, encrypted with TLS 1.2 or newer.
 * @param key and certificate: PEM.
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
  // To whom nothing can be said, as an answer would wait for the handshake that does not come.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  return bound(server, options);
}

/**
 * Has a server show another certificate to whoever connects from now on; connections stay as they are.
 * @param key and certificate: PEM.
 * @throws Error as `createTlsServer`
 */
export function replaceCertificate(server: TlsServer, key: string, certificate: string): void {
  server.setSecureContext({ key, cert: certificate, minVersion });
}

/** Of each server, those below TLS too: one that is still shaking hands is no connection of HTTP. */
const sockets = new WeakMap<Listening, Set<Socket>>();

function listenerOf(fetch: Fetch, before?: Before): RequestListener {
  const answer = getRequestListener(fetch, { errorHandler: refuseMalformed });
  return (incoming, outgoing) => {
    const connection = connectionOf(incoming.socket);
    if (connection !== undefined) {
      connection.begin();
      outgoing.once("close", () => connection.end());
    }
    if (before?.(incoming, outgoing) === true) return;
    nameHost(incoming);
    void answer(incoming, outgoing);
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
  // Of a client that has stopped reading, or that is gone without a word.
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

/** Hosts that the request listener takes as they are; it refuses some others that do name this hub. */
const plainHost = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/** Has the API judge any other `Host`, such as `[fe80:0::1]`: the URL gets a host that stands for none. */
function nameHost(incoming: IncomingMessage): void {
  const { url, headers } = incoming;
  if (!url?.startsWith("/") || plainHost.test(headers.host ?? "")) return;
  incoming.url = `http://host.invalid${url}`;
}

/** What cannot be read as a request at all still gets an answer that clients can read. */
function refuseMalformed(error: unknown): Response {
  const isRequest = error instanceof RequestError;
  const message = isRequest ? "this is no request that can be read" : "internal error";
  return Response.json({ message }, { status: isRequest ? 422 : 500 });
}

/** Whoever expects more than to be told to go on. */
function refuseExpectation(_incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(417, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ message: "this expectation cannot be met" }));
}

/** By what the parser calls it: status and message. */
const unreadable: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "the head of this request is too large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "the chunk extensions are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "this request took too long to come"],
};

/** As `refuseMalformed`, of what the parser of HTTP gives up on; the connection ends, as what follows is no request. */
function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: ServerResponse | null },
): void {
  // Behind the beginning of another answer it would be taken for a part of that.
  if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
  const [status, message] = unreadable[error.code ?? ""] ?? [422, "this is no request that can be read"];
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
 * @returns the base address.
 * @throws Error of node:net such as EADDRINUSE.
 */
export async function listen(server: Listening, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening on a port");
  const shown = address.address.includes(":") ? `[${address.address}]` : address.address;
  return `${isEncrypted(server) ? "https" : "http"}://${shown}:${address.port}`;
}

/** Lets requests under way end, but not for long. */
export async function closeServer(server: Listening, graceMs: number = limits.closeGraceMs): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  letGo(server);
  // Who is answered from now on keeps the connection open for a further request.
  const idle = setInterval(() => letGo(server), limits.closeCheckMs);
  const end = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of sockets.get(server) ?? []) socket.destroy();
  }, graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(end);
}

/** Closes the connections on which no request is under way. To node:http one that has never said a word is not idle. */
function letGo(server: Listening): void {
  server.closeIdleConnections();
  for (const socket of sockets.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}
