// Many clients of a server of socket.io, by its protocol (https://socket.io/docs/v4/socket-io-protocol), which count the
// bytes of events. Says `open` when all are connected.
//
//   node socketio-clients.child.ts URL CLIENTS
import { once } from "node:events";
import { WebSocket } from "ws";
import { answerByteCounts } from "./byte-count.ts";

const [url = "", clients = "0"] = process.argv.slice(2);
const count = answerByteCounts();

for (let at = 0; at < Number(clients); at++) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket`, {
    perMessageDeflate: false,
  });
  await once(socket, "message");
  socket.send("40");
  await once(socket, "message");
  socket.on("message", (data: Buffer) => {
    // A ping is "2", an event "42…".
    if (data.length === 1) socket.send("3");
    else count(data.byteLength);
  });
}
process.send?.("open");
