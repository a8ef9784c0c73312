// A hub whose streams stay idle. Says its address, and answers each message with its resident memory in kB.
//
//   node --expose-gc signalr-idle.child.ts
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createHub } from "@ledge/signalr";

const collections = 5;
const restMs = 200;

const hub = createHub({
  path: "/hub",
  streams: { watch: async ({ signal }) => void (await once(signal, "abort")) },
});
const server = createServer();
hub.attach(server);
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.on("message", () => void tellMemory());
process.send?.(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/hub`);

async function tellMemory(): Promise<void> {
  for (let left = collections; left > 0; left--) {
    globalThis.gc?.();
    await sleep(restMs);
  }
  process.send?.(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]));
}
