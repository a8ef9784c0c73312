import {
  createServer,
  Http2ServerRequest,
  Http2ServerResponse,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
} from "node:http2";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
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
import type { Changes } from "./changes.ts";
import { answerChanges } from "./changes-answer.ts";
import { endInPieces, isLong } from "./in-pieces.ts";
import { isRead, TunnelAnswer, TunnelRead } from "./tunnel-read.ts";

export interface TunnelServerOptions {
  /** Serves the API of the listener `remote`. */
  readonly fetch: Fetch;
  /** Called when the cloud announces a new number of the hub's list of users. */
  readonly announced: (seq: number) => void;
  /** Called when the cloud has refused another hub with this hub's identity. */
  readonly cloned?: (kind: CloneKind) => void;
  /** Tells the cloud of the home, as far as the owner lets it. */
  readonly changes?: Pick<Changes, "pieces">;
  readonly clock: Pick<Clock, "after">;
  readonly logger?: { warn(fields: object, message: string): void };
  readonly times?: LivenessTimes;
}

/**
 * Serves the API in a tunnel, over HTTP/2 with the roles reversed: the hub has dialled and is the server. It
 * also answers the cloud's messages to the hub itself.
 * @param opened called when the first HTTP/2 bytes of the cloud have arrived
 * @returns the session
 */
export function serveTunnel(
  carrier: Socket | TunnelDuplex,
  { fetch, announced, cloned, changes, clock, logger, times = limits }: TunnelServerOptions,
  opened: () => void,
): Promise<ServerHttp2Session> {
  const { promise, resolve } = Promise.withResolvers<ServerHttp2Session>();
  const api = getRequestListener(fetch, { hostname: "hub" });
  const heard = heardBy({ announced, ...(cloned && { cloned }) });
  const server = createServer(sessionOptions);
  server.on("stream", (stream, headers, _flags, rawHeaders) => {
    const { ":path": path } = headers;
    // The method CONNECT has no path.
    if (path === undefined) return stream.respond({ ":status": 405 }, { endStream: true });
    if (isRead(stream, headers) && !path.startsWith(privatePrefix)) {
      const [read, answer] = [new TunnelRead(headers, rawHeaders), new TunnelAnswer(stream)];
      return void api(read as unknown as Http2ServerRequest, answer as unknown as Http2ServerResponse);
    }
    const request = new Http2ServerRequest(stream, headers, {}, rawHeaders);
    const response = new InPieces(stream);
    if (changes !== undefined && isForChanges(request)) {
      const onError = (error: Error): void =>
        logger?.warn({ error }, "the cloud was not told what has changed");
      void answerChanges(changes, request, response, onError);
    } else if (path.startsWith(privatePrefix)) answerPrivate(request, response, heard);
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
  // node:http2 asks the TLS socket for its protocol, which ALPN did not choose here: the upgrade did.
  if (carrier instanceof TLSSocket) carrier.alpnProtocol = "h2";
  server.emit("connection", carrier);
  return promise;
}

/**
 * Returns the address from which the client called the cloud. The API counts requests without a verified
 * credential by it.
 */
export function clientAddress(incoming: IncomingMessage | undefined): string {
  return (incoming && addressFrom(incoming.headers)) ?? "relay";
}

/** An answer that node:http2 writes in pieces. */
class InPieces extends Http2ServerResponse {
  /** Leaves out trailers, for which node:http2 would send an extra frame after the body. */
  override writeHead(status: number, ...args: unknown[]): this {
    const { stream } = this;
    const [headers = {}] = args;
    const isPlain = typeof headers === "object" && !Array.isArray(headers);
    if (!isPlain || this.headersSent || stream.destroyed || stream.closed)
      return super.writeHead(status, ...(args as []));
    this.statusCode = status;
    stream.respond({ ":status": status, ...(headers as OutgoingHttpHeaders) });
    return this;
  }

  override end(...args: unknown[]): this {
    const [body] = args;
    if (!isLong(body)) return super.end(...(args as []));
    endInPieces(this, body);
    return this;
  }
}

function isForChanges({ method, url }: Http2ServerRequest): boolean {
  return method === "GET" && url.split("?", 1)[0] === privatePaths.changes;
}

const announcementChars = 256;

/** Handlers of the cloud's messages to the hub, by path. They return whether the message was valid. */
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
