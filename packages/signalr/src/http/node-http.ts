// Requests and answers of node:http.
import { type IncomingMessage, STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Answer, type HttpRequest, tokenIn } from "./exchange.ts";

/** The path of a request without its query; undefined if it is malformed. */
export function urlOf(request: IncomingMessage): URL | undefined {
  const target = request.url ?? "";
  // Only the path and the query matter. A client may also send a whole address.
  const absolute = target.startsWith("/") ? `http://localhost${target}` : target;
  return URL.canParse(absolute) ? new URL(absolute) : undefined;
}

export function fromNode(request: IncomingMessage, url: URL): HttpRequest {
  return {
    method: request.method ?? "GET",
    url,
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    token: tokenIn(request.headers.authorization, url),
    remoteAddress: request.socket.remoteAddress,
    readBody: (bytesMax) => readBody(request, bytesMax),
  };
}

export function answerNode(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers);
  response.end(body);
}

/** Answers an upgrade that is not granted. */
export function refuseUpgrade(socket: Duplex, { status, headers, body = "" }: Answer): void {
  const lines = Object.entries({
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head}\r\n${String(body)}`);
}

async function readBody(request: IncomingMessage, bytesMax: number): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.byteLength;
      if (length > bytesMax) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
