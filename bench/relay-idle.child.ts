// Many hubs that keep a tunnel open and are asked nothing. Says `open` when all have dialled.
//
//   node relay-idle.child.ts URL FIRST HUBS
import { once } from "node:events";
import { createServer, type ServerHttp2Session } from "node:http2";
import { dialTunnel, sessionOptions } from "@ledge/link/tunnel";
import { openSession } from "./relay/sessions.ts";

const [url = "", first = "0", count = "0"] = process.argv.slice(2);
const atOnce = 16;

await all(async (index) => {
  const address = `198.18.${index >> 8}.${index & 255}`;
  await open((await openSession(url, `hub-${index}`, address)).token);
});
process.send?.("open");

/** So many at a time, one after the other. */
async function all(task: (index: number) => Promise<void>): Promise<void> {
  let next = Number(first);
  const end = next + Number(count);
  const worker = async (): Promise<void> => {
    while (next < end) await task(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function open(token: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const duplex = await dialTunnel({ url, token, transport: "upgrade", signal });
  const server = createServer(sessionOptions);
  const session = once(server, "session") as Promise<[ServerHttp2Session]>;
  server.emit("connection", duplex);
  const [opened] = await session;
  await once(opened, "remoteSettings");
}
