import { once } from "node:events";
import type { Server } from "node:http";
import { createServer as createHttpServer } from "node:http";
import { limits } from "@ledge/model";
import { getRequestListener, RequestError } from "@hono/node-server";

type Fetch = Parameters<typeof getRequestListener>[0];

/** A server for one listener's API; it is not listening yet. */
export function createServer(fetch: Fetch): Server {
  const answer = getRequestListener(fetch, { errorHandler: refuseMalformed });
  const server = createHttpServer((incoming, outgoing) => void answer(incoming, outgoing));
  server.headersTimeout = limits.headerTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveMs;
  server.maxHeadersCount = limits.headers;
  return server;
}

/** What cannot be read as a request at all still gets an answer that clients can read. */
function refuseMalformed(error: unknown): Response {
  const isRequest = error instanceof RequestError;
  const message = isRequest ? "this is no request that can be read" : "internal error";
  return Response.json({ message }, { status: isRequest ? 422 : 500 });
}

/**
 * Listens on a TCP port.
 * @returns the base address.
 * @throws Error of node:net such as EADDRINUSE.
 */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening on a port");
  const shown = address.address.includes(":") ? `[${address.address}]` : address.address;
  return `http://${shown}:${address.port}`;
}

/** Lets requests under way end, but not for long. */
export async function closeServer(server: Server, graceMs = 2000): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  const end = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(end);
}
