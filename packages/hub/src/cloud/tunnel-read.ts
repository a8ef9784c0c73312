import type {
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
  ServerStreamResponseOptions,
} from "node:http2";
import { isForClients } from "@ledge/link/tunnel";
import { endInPieces, isLong } from "./in-pieces.ts";

/** Whether a request reads and has no body, like most of them. */
export function isRead(stream: ServerHttp2Stream, { ":method": method }: IncomingHttpHeaders): boolean {
  return stream.endAfterHeaders && (method === "GET" || method === "HEAD");
}

/**
 * A GET or HEAD through the tunnel, as far as the request listener of Hono and the API read it. The request of
 * node:http2 is a stream with a dozen listeners, and costs a poll about as much as the API itself.
 *
 * It has no socket, because all clients share the tunnel's: the API must not remember a caller by it.
 */
export class TunnelRead {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly readableEnded = true;

  constructor(headers: IncomingHttpHeaders, rawHeaders: readonly string[]) {
    this.headers = headers;
    this.rawHeaders = rawHeaders;
  }

  get method(): string | undefined {
    return this.headers[":method"];
  }

  /** Path and query. */
  get url(): string | undefined {
    return this.headers[":path"];
  }
}

/** The types of Node leave this option out. */
const withoutDate: ServerStreamResponseOptions & { readonly sendDate: false } = { sendDate: false };

/** The answer to a `TunnelRead`, as far as the request listener of Hono writes it. */
export class TunnelAnswer {
  readonly stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream) {
    this.stream = stream;
    // The event `close` follows.
    stream.on("error", () => {});
  }

  get headersSent(): boolean {
    return this.stream.headersSent;
  }

  get destroyed(): boolean {
    return this.stream.destroyed;
  }

  /** False when the request was cancelled before the answer was whole: node:http2 then ends the stream, too. */
  get writableFinished(): boolean {
    return this.stream.writableFinished && !this.stream.aborted;
  }

  /**
   * Begins the answer with the headers that the cloud passes on; it sets the others itself. Does nothing if the
   * cloud has cancelled the request.
   */
  writeHead(status: number, headers: OutgoingHttpHeaders = {}): this {
    const { stream } = this;
    if (stream.destroyed || stream.closed) return this;
    const passed: OutgoingHttpHeaders = { ":status": status };
    for (const name in headers) if (isForClients(name.toLowerCase())) passed[name] = headers[name];
    stream.respond(passed, withoutDate);
    return this;
  }

  write(chunk: string | Uint8Array): boolean {
    return this.stream.write(chunk);
  }

  end(body?: string | Uint8Array): this {
    // Answers to HEAD, and with 204 or 304, have ended with their head.
    if (this.stream.writableEnded) return this;
    if (isLong(body)) endInPieces(this.stream, body);
    else this.stream.end(body);
    return this;
  }

  destroy(error?: Error): void {
    this.stream.destroy(error);
  }

  on(event: string, listener: () => void): this {
    this.stream.on(event, listener);
    return this;
  }

  once(event: string, listener: () => void): this {
    this.stream.once(event, listener);
    return this;
  }

  off(event: string, listener: () => void): this {
    this.stream.off(event, listener);
    return this;
  }
}
