import {
  createServer,
  type Http2ServerRequest,
  Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import {
  addressFrom,
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
  duplex: TunnelDuplex,
  { fetch, announced, clock, times = limits }: TunnelServerOptions,
  opened: () => void,
): Promise<ServerHttp2Session> {
  const { promise, resolve } = Promise.withResolvers<ServerHttp2Session>();
  const api = getRequestListener(fetch);
  const server = createServer({ ...sessionOptions, Http2ServerResponse: InPieces }, (request, response) => {
    if (request.url.startsWith(privatePrefix)) answerPrivate(request, response, announced);
    else void api(request, response);
  });
  server.on("sessionError", () => {});
  server.once("session", (session) => {
    session.setLocalWindowSize(limits.tunnelWindowBytes);
    session.once("remoteSettings", opened);
    session.once("close", () => duplex.destroy());
    keepAlive(session, duplex, clock, times);
    resolve(session);
  });
  server.emit("connection", duplex);
  return promise;
}

/** By what the API counts requests without a verified credential: where the client called the cloud from. */
export function clientAddress(incoming: IncomingMessage | undefined): string {
  return (incoming && addressFrom(incoming.headers)) ?? "relay";
}

/** An answer that goes in pieces: HTTP/2 takes a piece as it is, and whole bodies would fill the session's memory. */
class InPieces extends Http2ServerResponse {
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

function answerPrivate(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  announced: (seq: number) => void,
): void {
  const answer = (status: number, value: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  };
  const { method, url } = request;
  if (method === "GET" && url === privatePaths.ping) return answer(200, true);
  if (method !== "POST" || url !== privatePaths.authorizations)
    return answer(404, { message: "there is no such path" });
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    if (text.length <= announcementChars) text += chunk;
  });
  request.once("end", () => {
    const seq = text.length > announcementChars ? undefined : seqIn(text);
    if (seq === undefined) return answer(422, { message: "a number is missing: seq" });
    announced(seq);
    answer(200, true);
  });
}

function seqIn(text: string): number | undefined {
  try {
    const { seq } = (JSON.parse(text) ?? {}) as { seq?: unknown };
    return Number.isSafeInteger(seq) && (seq as number) >= 0 ? (seq as number) : undefined;
  } catch {
    return undefined;
  }
}
