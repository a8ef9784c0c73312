// Many clients of a stream, which count the bytes that they get. Says `open` when all have called it.
//
//   node signalr-clients.child.ts URL,URL… CLIENTS_OF_EACH [STREAM]
import { once } from "node:events";
import { WebSocket } from "ws";
import { answerByteCounts } from "./byte-count.ts";

const [urls = "", clients = "0", stream = "watch"] = process.argv.slice(2);
const count = answerByteCounts();

/** How often a client pings: the hub drops one that says nothing for 30 s. */
const pingMs = 10_000;
const webSockets: WebSocket[] = [];

setInterval(() => {
  for (const webSocket of webSockets) webSocket.send(`{"type":6}\x1e`);
}, pingMs).unref();

const call = { type: 4, invocationId: "0", target: stream, arguments: [] };
for (const url of urls.split(",").flatMap((one) => Array.from({ length: Number(clients) }, () => one))) {
  const webSocket = new WebSocket(url, { perMessageDeflate: false });
  await once(webSocket, "open");
  webSocket.send(`{"protocol":"json","version":1}\x1e${JSON.stringify(call)}\x1e`);
  await once(webSocket, "message");
  webSockets.push(webSocket);
  webSocket.on("message", (data: Buffer) => {
    count(data.byteLength);
  });
}
process.send?.("open");
