import {
  createServer,
  type Http2ServerRequest,
  Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import { getRequestListener } from "@hono/node-server";
import {
  addressFrom,
  type CloneKind,
  isCloneKind,
  keepAlive,
  type LivenessTimes,
  privatePaths,
  privatePrefix,
  sessionOptions,
  type TunnelDuplex,
} from "@ledge/link/tunnel";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Fetch } from "@ledge/host/server";

export interface TunnelServerOptions {
  /** Of the API of the listener `remote`. */
  readonly fetch: Fetch;
  /** The cloud says that the hub's list of users has a new number. */
  readonly announced: (seq: number) => void;
  /** The cloud has refused another hub of this one's identity. */
  readonly cloned?: (kind: CloneKind) => void;
  readonly clock: Pick<Clock, "after">;
  readonly times?: LivenessTimes;
}

/**
 * Serves the API in a tunnel, over HTTP/2 with the ends reversed: the hub has dialled and is the server. What the
 * cloud asks of the hub itself is answered here.
 * @param opened called once the cloud has said its first word of HTTP/2
 * @returns the session
 */
export function serveTunnel(
  carrier: Socket | TunnelDuplex,
  { fetch, announced, cloned, clock, times = limits }: TunnelServerOptions,
  opened: () => void,
): Promise<ServerHttp2Session> {
  const { promise, resolve } = Promise.withResolvers<ServerHttp2Session>();
  const api = getRequestListener(fetch);
  const heard = heardBy({ announced, ...(cloned && { cloned }) });
  const server = createServer({ ...sessionOptions, Http2ServerResponse: InPieces }, (request, response) => {
    if (request.url.startsWith(privatePrefix)) answerPrivate(request, response, heard);
    else void api(request, response);
  });
  server.on("sessionError", () => {});
  server.once("session", (session) => {
    session.setLocalWindowSize(limits.tunnelWindowBytes);
    session.once("remoteSettings", opened);
    session.once("close", () => carrier.destroy());
    keepAlive(session, carrier, clock, times);
    resolve(session);
  });
  // node:http2 would ask which protocol TLS has chosen. The upgrade chose this one.
  if (carrier instanceof TLSSocket) carrier.alpnProtocol = "h2";
  server.emit("connection", carrier);
  return promise;
}

/** By what the API counts requests without a verified credential: where the client called the cloud from. */
export function clientAddress(incoming: IncomingMessage | undefined): string {
  return (incoming && addressFrom(incoming.headers)) ?? "relay";
}

/** An answer that goes in pieces: HTTP/2 takes a piece as it is, and whole bodies would fill the session's memory. */
class InPieces extends Http2ServerResponse {
  /** Without trailers, for which node:http2 would send a frame of its own behind the body. */
  override writeHead(status: number, ...args: unknown[]): this {
    const { stream } = this;
    const [headers = {}] = args;
    const isPlain = typeof headers === "object" && !Array.isArray(headers);
    if (!isPlain || this.headersSent || stream.destroyed || stream.closed)
      return super.writeHead(status, ...(args as []));
    for (const [name, value] of Object.entries(headers as object)) this.setHeader(name, value as string);
    this.statusCode = status;
    stream.respond({ ...this.getHeaders(), ":status": status });
    return this;
  }

  override end(...args: unknown[]): this {
    const [body] = args;
    const isLong =
      (typeof body === "string" || body instanceof Uint8Array) && body.length > limits.tunnelPieceBytes;
    if (!isLong) return super.end(...(args as []));
    Readable.from(piecesOf(Buffer.from(body as string))).pipe(this);
    return this;
  }
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += limits.tunnelPieceBytes)
    yield body.subarray(at, at + limits.tunnelPieceBytes);
}

const announcementChars = 256;

/** What the cloud says to the hub itself, by its path: whether it was understood. */
type Heard = Readonly<Record<string, (said: Readonly<Record<string, unknown>>) => boolean>>;

function heardBy({ announced, cloned }: Pick<TunnelServerOptions, "announced" | "cloned">): Heard {
  return {
    [privatePaths.authorizations]({ seq }) {
      const isSound = Number.isSafeInteger(seq) && (seq as number) >= 0;
      if (isSound) announced(seq as number);
      return isSound;
    },
    [privatePaths.clone]({ kind }) {
      if (!isCloneKind(kind)) return false;
      cloned?.(kind);
      return true;
    },
  };
}

function answerPrivate(request: Http2ServerRequest, response: Http2ServerResponse, heard: Heard): void {
  const answer = (status: number, value: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  };
  const { method, url } = request;
  if (method === "GET" && url === privatePaths.ping) return answer(200, true);
  const hear = method === "POST" ? heard[url] : undefined;
  if (hear === undefined) return answer(404, { message: "there is no such path" });
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    if (text.length <= announcementChars) text += chunk;
  });
  request.once("end", () => {
    const said = text.length > announcementChars ? {} : objectIn(text);
    if (hear(said)) answer(200, true);
    else answer(422, { message: "this is not understood" });
  });
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
