import { type IncomingMessage, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { limits } from "@ledge/model";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import { tunnelProtocol, tunnelSubprotocol } from "./protocol.ts";
import { TunnelDuplex } from "./tunnel-duplex.ts";

const webSockets = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: limits.tunnelMessageBytes,
  handleProtocols: (offered) => (offered.has(tunnelSubprotocol) ? tunnelSubprotocol : false),
});

/**
 * Accepts a hub's dial, for the event `upgrade` of a server of node:http. The caller has checked that the hub
 * may dial.
 * @param opened gets the tunnel; not called when the request asks for another protocol, which is refused
 */
export function acceptTunnel(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  opened: (duplex: TunnelDuplex) => void,
): void {
  const wanted = request.headers.upgrade?.toLowerCase();
  if (socket instanceof Socket) socket.setTimeout(0).setNoDelay(true);
  if (wanted === tunnelProtocol) {
    if (head.length > 0) socket.unshift(head);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${tunnelProtocol}\r\n\r\n`,
    );
    return opened(new TunnelDuplex(socket));
  }
  const offered = request.headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim());
  if (wanted !== "websocket" || !offered?.includes(tunnelSubprotocol))
    return refuseUpgrade(socket, 426, `upgrade to ${tunnelProtocol}`);
  webSockets.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
    opened(new TunnelDuplex(createWebSocketStream(webSocket)));
  });
}

/**
 * Answers a request to upgrade with an error, and ends its connection.
 * @param headers further headers of the answer
 */
export function refuseUpgrade(
  socket: Duplex,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(status === 426 ? [`Upgrade: ${tunnelProtocol}`] : []),
  ];
  socket.on("error", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
