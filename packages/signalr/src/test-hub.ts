// A hub on a port of this machine, with the methods that tests call.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { HttpTransportType, HubConnectionBuilder, type HubConnection, LogLevel } from "@microsoft/signalr";
import { MessagePackHubProtocol } from "@microsoft/signalr-protocol-msgpack";
import type { Connection, HubOptions } from "./api.ts";
import { createHub, type Hub } from "./hub.ts";

export interface TestHub extends AsyncDisposable {
  readonly hub: Hub;
  readonly server: Server;
  readonly url: string;
  /** The only connection. */
  readonly connection: Connection;
  /** What `onError` was told. */
  readonly errors: readonly unknown[];
  /** Breaks all sockets that were upgraded. */
  cut(): void;
  /** How many sockets were broken. */
  readonly cuts: number;
}

/** Serves a hub at `/hub`. */
export async function openTestHub(options: Partial<HubOptions> = {}): Promise<TestHub> {
  const errors: unknown[] = [];
  const hub = createHub({ path: "/hub", onError: (error) => errors.push(error), ...options });
  const server = createServer();
  hub.attach(server);
  const upgraded = new Set<Duplex>();
  let cuts = 0;
  server.on("upgrade", (_request, socket: Duplex) => {
    upgraded.add(socket);
    socket.on("close", () => upgraded.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hub`;
  return {
    hub,
    server,
    url,
    errors,
    get connection() {
      const [connection] = hub.connections.values();
      if (connection === undefined || hub.connections.size > 1)
        throw new Error("there is not one connection");
      return connection;
    },
    get cuts() {
      return cuts;
    },
    cut() {
      cuts += upgraded.size;
      for (const socket of upgraded) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      hub.abort();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A way for a client to reach a hub. */
export interface Way {
  readonly transport: HttpTransportType;
  readonly isBinary: boolean;
}

/** Every way that there is. Server-Sent Events carry text only. */
export const ways: readonly (readonly [name: string, way: Way])[] = [
  ["WebSockets, JSON", { transport: HttpTransportType.WebSockets, isBinary: false }],
  ["WebSockets, MessagePack", { transport: HttpTransportType.WebSockets, isBinary: true }],
  ["Server-Sent Events, JSON", { transport: HttpTransportType.ServerSentEvents, isBinary: false }],
  ["long polling, JSON", { transport: HttpTransportType.LongPolling, isBinary: false }],
  ["long polling, MessagePack", { transport: HttpTransportType.LongPolling, isBinary: true }],
];

export interface ClientOptions extends Partial<Way> {
  readonly token?: string;
  readonly isStateful?: boolean;
  readonly reconnects?: boolean;
  readonly skipNegotiation?: boolean;
}

/** A client of Microsoft's package, not yet started. */
export function clientOf(url: string, options: ClientOptions = {}): HubConnection {
  const { transport = HttpTransportType.WebSockets, isBinary, token, isStateful, reconnects } = options;
  const builder = new HubConnectionBuilder()
    .withUrl(url, {
      transport,
      skipNegotiation: options.skipNegotiation ?? false,
      ...(token !== undefined && { accessTokenFactory: () => token }),
    })
    .configureLogging(LogLevel.None);
  if (isBinary) builder.withHubProtocol(new MessagePackHubProtocol());
  if (isStateful) builder.withStatefulReconnect();
  if (reconnects) builder.withAutomaticReconnect([0, 10, 100]);
  return builder.build();
}

/** All items of a stream of the hub. */
export function itemsOf(client: HubConnection, target: string, ...args: unknown[]): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const items: unknown[] = [];
    client.stream(target, ...args).subscribe({
      next: (item) => items.push(item),
      complete: () => resolve(items),
      error: reject,
    });
  });
}
