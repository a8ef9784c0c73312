// Many clients of a server of socket.io, by its protocol (https://socket.io/docs/v4/socket-io-protocol), which count the
// bytes of events. Answers as `signalr-clients.child.ts` does.
//
//   node socketio-clients.child.ts URL CLIENTS
import { once } from "node:events";
import { WebSocket } from "ws";

const [url = "", count = "0"] = process.argv.slice(2);
let bytes = 0;
let wanted = Infinity;

for (let at = 0; at < Number(count); at++) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket`, {
    perMessageDeflate: false,
  });
  await once(socket, "message");
  socket.send("40");
  await once(socket, "message");
  socket.on("message", (data: Buffer) => {
    // A ping is "2", an event "42…".
    if (data.length === 1) socket.send("3");
    else bytes += data.byteLength;
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
