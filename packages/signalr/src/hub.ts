import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Connection, HubOptions, HubUser } from "./api.ts";
import { systemClock } from "./clock.ts";
import { ClientConnection } from "./connection.ts";
import { Connections } from "./connections.ts";
import { busy, Endpoint, takenConnection, unknownConnection } from "./http/endpoint.ts";
import { type HttpRequest, textAnswer } from "./http/exchange.ts";
import { answerNode, fromNode, refuseUpgrade, urlOf } from "./http/node-http.ts";
import { fromFetch, toResponse } from "./http/web-fetch.ts";
import type { Frame } from "./protocol/messages.ts";
import { defaultSettings } from "./settings.ts";
import { WebSocketTransport } from "./transports/websocket.ts";

/** Most pieces of a WebSocket message that has not come whole: each costs memory beside its bytes. */
const piecesMax = 16_384;

/** A hub: the server side of SignalR under one path. */
export class Hub<User extends HubUser = HubUser> {
  readonly #connections: Connections<User>;
  readonly #endpoint: Endpoint<User>;
  readonly #webSockets: WebSocketServer;

  constructor(options: HubOptions<User>) {
    const settings = { ...defaultSettings, ...options };
    this.#connections = new Connections(
      options,
      settings,
      options.clock ?? systemClock,
      options.randomBytes ?? randomBytes,
    );
    this.#endpoint = new Endpoint(options, this.#connections);
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: settings.maxChunkBytes,
      maxFragments: piecesMax,
      maxBufferedChunks: piecesMax,
      // The transport answers pings, and waits for a client that does not read.
      autoPong: false,
    });
  }

  /** The connections that have done their handshake, by id. */
  get connections(): ReadonlyMap<string, Connection<User>> {
    return this.#connections.open;
  }

  /** Calls a method of many clients, and serialises the call once for each protocol. */
  send(connections: Iterable<Connection<User>>, target: string, ...args: readonly unknown[]): void {
    const frames = new Map<string, Frame>();
    for (const connection of connections) {
      if (!(connection instanceof ClientConnection) || connection.codec === undefined) continue;
      const { codec } = connection;
      const frame = frames.get(codec.name) ?? codec.invocation(target, args);
      frames.set(codec.name, frame);
      connection.sendFrame(frame);
    }
  }

  /**
   * Serves the hub on an HTTP server, before what the server does already. Requests and upgrades of other paths are
   * left to the other listeners.
   */
  attach(server: Server): void {
    const others = server.listeners("request");
    server.removeAllListeners("request");
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      if (this.handle(request, response)) return;
      for (const listener of others) listener.call(server, request, response);
      if (others.length === 0) answerNode(response, notHere);
    });
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (this.upgrade(request, socket, head)) return;
      if (server.listenerCount("upgrade") === 1) refuseUpgrade(socket, notHere);
    });
  }

  /** Answers a request if it is for the hub. Returns whether it is. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const url = urlOf(request);
    if (url === undefined || !this.#endpoint.owns(url.pathname)) return false;
    void this.#answer(fromNode(request, url, response), response);
    return true;
  }

  /** Takes the socket of a request to upgrade if it is for the hub. Returns whether it is. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const url = urlOf(request);
    if (url === undefined || !this.#endpoint.owns(url.pathname)) return false;
    // Until the WebSocket has it, nobody else listens.
    socket.on("error", () => socket.destroy());
    void this.#upgrade(fromNode(request, url), request, socket, head);
    return true;
  }

  /**
   * Answers a request of the Fetch standard, as in Hono: negotiation, Server-Sent Events and long polling. Sockets
   * come by `upgrade`.
   * @param remoteAddress is passed on to `authenticate`
   */
  async fetch(request: Request, remoteAddress?: string): Promise<Response> {
    const asked = fromFetch(request, remoteAddress);
    const isOurs = this.#endpoint.owns(asked.url.pathname);
    return toResponse(isOurs ? await this.#endpoint.answer(asked) : notHere, request.signal);
  }

  /** Takes no more connections, tells all clients to reconnect, and resolves when they have left. */
  drain(): Promise<void> {
    return this.#connections.drain();
  }

  /** Ends all connections at once, and takes no more. */
  abort(): void {
    this.#connections.abort();
  }

  async #answer(request: HttpRequest, response: ServerResponse): Promise<void> {
    answerNode(response, await this.#endpoint.answer(request));
  }

  async #upgrade(asked: HttpRequest, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const admitted = await this.#endpoint.admit(asked);
    if ("answer" in admitted) return refuseUpgrade(socket, admitted.answer);
    const { user } = admitted;
    const token = asked.url.searchParams.get("id");
    const found = token === null ? undefined : this.#connections.find(token, user);
    if (token !== null && found === undefined) return refuseUpgrade(socket, unknownConnection);
    const connection = found?.connection;
    if (connection?.isStateful === false) return refuseUpgrade(socket, takenConnection);
    if (connection === undefined && this.#connections.isFull) return refuseUpgrade(socket, busy);
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const transport = new WebSocketTransport(webSocket, socket);
      transport.listen(connection ?? this.#connections.add(user, transport, found?.negotiated));
      connection?.resume(transport);
    });
  }
}

/** Makes a hub. */
export function createHub<User extends HubUser = HubUser>(options: HubOptions<User>): Hub<User> {
  return new Hub(options);
}

const notHere = textAnswer(404, "nothing is here");
