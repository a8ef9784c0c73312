import type { IncomingMessage, Server } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { limits } from "@ledge/model";
import type { Connection, Connections, Peer } from "./connections.ts";

export type Listening = Server | TlsServer;

export const isEncrypted = (server: Listening): server is TlsServer => "setSecureContext" in server;

/** Where a socket is counted; a TLS connection has two sockets with the same place. */
interface Place {
  readonly connections: Connections;
  readonly connection: Connection;
}

const places = new WeakMap<object, Place>();

/** Counts the connections of a server, from their first packet on. */
export function countSockets(server: Listening, connections: Connections): void {
  // The sockets that are still in a handshake: nothing else leads from a TLS socket to the one below it.
  const shaking = new Map<string, Socket>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    // Already closed: otherwise only a socket of the file system has no address.
    if (remoteAddress === undefined && typeof server.address() !== "string") return void socket.destroy();
    const connection = connections.open(remoteAddress, peerOf(socket));
    places.set(socket, { connections, connection });
    // After the next read: a request that has already arrived must not lose its connection because nobody had
    // time to read it.
    const settle = setTimeout(() => setImmediate(() => connections.settle(connection)), limits.headGraceMs);
    const name = nameOf(socket);
    if (isEncrypted(server)) shaking.set(name, socket);
    socket.once("close", () => {
      clearTimeout(settle);
      connections.leave(connection);
      if (shaking.get(name) === socket) shaking.delete(name);
    });
  });
  server.on("secureConnection", (secure: Socket) => {
    const name = nameOf(secure);
    const place = places.get(shaking.get(name) ?? secure);
    shaking.delete(name);
    if (place === undefined) secure.destroy();
    else places.set(secure, place);
  });
}

function peerOf(socket: Socket): Peer {
  return {
    close: () => socket.destroy(),
    get isGreeted() {
      return socket.bytesWritten > 0;
    },
  };
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Returns the connection of a counted socket. */
export function connectionOf(socket: object): Connection | undefined {
  return places.get(socket)?.connection;
}

/**
 * Notes that a key was shown on the connection of a request.
 * @param user the owner of a valid key; undefined for one that is not, or no longer, valid
 */
export function keyShown({ socket }: Pick<IncomingMessage, "socket">, user: string | undefined): void {
  const place = places.get(socket);
  place?.connections.shown(place.connection, user);
}

/** Handles requests to upgrade; each then counts as a request under way on its connection. */
export function onUpgrade(
  server: Listening,
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): void {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    connectionOf(socket)?.begin();
    upgrade(request, socket, head);
  });
}
