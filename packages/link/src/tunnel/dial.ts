import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { limits } from "@ledge/model";
import { createWebSocketStream, WebSocket } from "ws";
import { cloneRefusalIn, type CloneRefusal, cloneStatus } from "./clone.ts";
import { type Transport, tunnelPath, tunnelProtocol, tunnelSubprotocol } from "./protocol.ts";
import { TunnelDuplex } from "./tunnel-duplex.ts";

/** The cloud, or a proxy on the way, refused to open a tunnel. */
export class DialError extends Error {
  /** The status of the answer; undefined without an answer. */
  readonly status: number | undefined;
  /** Set when another hub with this identity has the tunnel. */
  readonly clone: CloneRefusal | undefined;

  constructor(message: string, answer?: Pick<IncomingMessage, "statusCode" | "headers">) {
    super(message);
    this.status = answer?.statusCode;
    this.clone = answer?.statusCode === cloneStatus ? cloneRefusalIn(answer.headers) : undefined;
  }
}

export interface DialOptions {
  /** The address of the cloud, `http:` or `https:`. */
  readonly url: string;
  /** The bearer token of the hub's session. */
  readonly token: string;
  readonly transport: Transport;
  /** Aborts the dial. */
  readonly signal: AbortSignal;
}

/**
 * Dials the cloud.
 * @returns what carries the tunnel: a socket, or the stream of a WebSocket
 * @throws DialError, or an Error of node:net or node:tls
 */
export async function dialCarrier(options: DialOptions): Promise<Socket | TunnelDuplex> {
  const url = new URL(`${options.url.replace(/\/$/, "")}${tunnelPath}`);
  if (options.transport === "upgrade") return upgrade(url, options);
  return new TunnelDuplex(await webSocket(url, options));
}

/** As `dialCarrier`, with every byte passing through JavaScript. */
export async function dialTunnel(options: DialOptions): Promise<TunnelDuplex> {
  const carrier = await dialCarrier(options);
  return carrier instanceof TunnelDuplex ? carrier : new TunnelDuplex(carrier);
}

function upgrade(url: URL, { token, signal }: DialOptions): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const headers = { connection: "Upgrade", upgrade: tunnelProtocol, authorization: `Bearer ${token}` };
  const request = send(url, { headers, signal, agent: false });
  request.once("upgrade", (response: IncomingMessage, socket: Socket, head: Buffer) => {
    if (response.headers.upgrade?.toLowerCase() !== tunnelProtocol) {
      socket.destroy();
      return reject(new DialError("the cloud speaks another protocol"));
    }
    socket.setTimeout(0);
    socket.setNoDelay(true);
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  request.once("response", (response) => {
    response.destroy();
    reject(new DialError(`no tunnel: ${response.statusCode}`, response));
  });
  request.on("error", reject);
  request.end();
  return promise;
}

function webSocket(url: URL, { token, signal }: DialOptions): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const headers = { authorization: `Bearer ${token}` };
  const bounds = { perMessageDeflate: false, maxPayload: limits.tunnelMessageBytes, followRedirects: false };
  const socket = new WebSocket(url, tunnelSubprotocol, { headers, ...bounds });
  // Created before the socket opens, so that no message comes before there is a listener.
  const stream = createWebSocketStream(socket);
  const giveUp = (): void => socket.terminate();
  signal.addEventListener("abort", giveUp, { once: true });
  stream.once("error", reject);
  socket.once("unexpected-response", (_request, response) => {
    reject(new DialError(`no tunnel: ${response.statusCode}`, response));
    socket.terminate();
  });
  socket.once("close", () => {
    signal.removeEventListener("abort", giveUp);
    reject(new DialError("no tunnel: the connection was closed"));
  });
  socket.once("open", () => {
    signal.removeEventListener("abort", giveUp);
    resolve(stream);
  });
  return promise;
}
