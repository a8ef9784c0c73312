// A hub whose streams stay idle. Says its address, and answers each message with its resident memory in kB.
//
//   node signalr-idle.child.ts
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "@ledge/host/server";
import { createHub } from "@ledge/signalr";
import { collect } from "./heap.ts";

const collections = 5;
const restMs = 200;

const hub = createHub({
  path: "/hub",
  streams: { watch: async ({ signal }) => void (await once(signal, "abort")) },
});
const server = createServer();
hub.attach(server);
const address = await listen(server, "127.0.0.1", 0);
process.on("message", () => void tellMemory());
process.send?.(`${address}/hub`);

async function tellMemory(): Promise<void> {
  for (let left = collections; left > 0; left--) {
    collect();
    await sleep(restMs);
  }
  process.send?.(process.memoryUsage.rss() / 1024);
}
