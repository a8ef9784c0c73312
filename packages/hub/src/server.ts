import { once } from "node:events";
import type { Server } from "node:http";
import { limits } from "@ledge/model";
import { createAdaptorServer } from "@hono/node-server";

type Fetch = Parameters<typeof createAdaptorServer>[0]["fetch"];

/** A server for one listener's API; it is not listening yet. */
export function createServer(fetch: Fetch): Server {
  const server = createAdaptorServer({ fetch }) as Server;
  server.headersTimeout = limits.headerTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveMs;
  server.maxHeadersCount = 100;
  return server;
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
