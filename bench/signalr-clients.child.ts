// Many clients of a stream, which count the bytes that they get. Says `open` when all have called it, and answers
// each message with the bytes since the one before, as soon as they are as many as it asks for.
//
//   node signalr-clients.child.ts URL,URL… CLIENTS_OF_EACH [STREAM]
import { once } from "node:events";
import { WebSocket } from "ws";

const [urls = "", count = "0", stream = "watch"] = process.argv.slice(2);
let bytes = 0;
let wanted = Infinity;

/** How often a client pings: the hub drops one that says nothing for 30 s. */
const pingMs = 10_000;
const webSockets: WebSocket[] = [];

setInterval(() => {
  for (const webSocket of webSockets) webSocket.send(`{"type":6}\x1e`);
}, pingMs).unref();

const call = { type: 4, invocationId: "0", target: stream, arguments: [] };
for (const url of urls.split(",").flatMap((one) => Array.from({ length: Number(count) }, () => one))) {
  const webSocket = new WebSocket(url, { perMessageDeflate: false });
  await once(webSocket, "open");
  webSocket.send(`{"protocol":"json","version":1}\x1e${JSON.stringify(call)}\x1e`);
  await once(webSocket, "message");
  webSockets.push(webSocket);
  webSocket.on("message", (data: Buffer) => {
    bytes += data.byteLength;
    tell();
  });
}
process.on("message", (next: number) => {
  wanted = next;
  tell();
});
process.send?.("open");

function tell(): void {
  if (bytes < wanted) return;
  bytes -= wanted;
  wanted = Infinity;
  process.send?.("got");
}
