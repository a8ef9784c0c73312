// Requests and answers of node:http.
import { type IncomingMessage, STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Answer, type HttpRequest, type OpenAnswer, readWhole, tokenIn } from "./exchange.ts";

/** The path of a request with its query; undefined if it is malformed. */
export function urlOf(request: IncomingMessage): URL | undefined {
  const target = request.url ?? "";
  // Only the path and the query matter. A client may also send a whole address.
  const absolute = target.startsWith("/") ? `http://localhost${target}` : target;
  return URL.canParse(absolute) ? new URL(absolute) : undefined;
}

/** @param response absent for upgrades. */
export function fromNode(request: IncomingMessage, url: URL, response?: ServerResponse): HttpRequest {
  return {
    method: request.method ?? "GET",
    url,
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    token: tokenIn(request.headers.authorization, url),
    remoteAddress: request.socket.remoteAddress,
    raw: request,
    // A request that is not read to its end stays, so that the client gets its answer.
    readBody: (bytesMax) => readWhole(request.iterator({ destroyOnReturn: false }), bytesMax),
    onGone(callback) {
      response?.on("close", () => {
        if (!response.writableEnded) callback();
      });
    },
  };
}

export function answerNode(response: ServerResponse, answer: Answer | OpenAnswer): void {
  response.on("error", () => {});
  response.writeHead(answer.status, answer.headers);
  if (!("open" in answer)) {
    response.end(answer.body);
    return;
  }
  response.flushHeaders();
  const listener = answer.open({
    get bufferedAmount() {
      return response.writableLength;
    },
    write: (bytes) => void response.write(bytes),
    end: () => void response.end(),
    destroy: () => void response.destroy(),
  });
  response.on("drain", () => listener.drained());
  response.on("close", () => listener.closed());
  if (response.destroyed) listener.closed();
}

/** Answers an upgrade that is not granted. */
export function refuseUpgrade(socket: Duplex, { status, headers, body = "" }: Answer): void {
  const length = String(Buffer.byteLength(body));
  const lines = Object.entries({ ...headers, "content-length": length, connection: "close" });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head}\r\n${String(body)}`);
}
