import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that Linux gives to connections of its own accord (ip_local_port_range): one of those could be taken by
 * any connection of this machine before the test listens there, or while a program that it restarts is away.
 */
const [from, to] = [12_000, 32_000];

/** Returns a port of 127.0.0.1 at which nobody listens, and which no connection gets by itself. */
export async function freePort(kind: "tcp" | "udp" = "tcp"): Promise<number> {
  for (;;) {
    const port = randomInt(from, to);
    if (await (kind === "tcp" ? isFreeTcp(port) : isFreeUdp(port))) return port;
  }
}

/** Whether nobody had a port that was asked for. @throws what no other port would change */
async function wasFree(listening: Promise<unknown>): Promise<boolean> {
  try {
    await listening;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
}

async function isFreeTcp(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  if (!(await wasFree(once(server, "listening")))) return false;
  server.close();
  await once(server, "close");
  return true;
}

async function isFreeUdp(port: number): Promise<boolean> {
  const socket = createSocket("udp4").bind(port, "127.0.0.1");
  const isFree = await wasFree(once(socket, "listening"));
  socket.close();
  await once(socket, "close");
  return isFree;
}
