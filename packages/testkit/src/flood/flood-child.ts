/*
 * Keeps a number of connections open that sent only part of a request's head, and opens closed ones again.
 * Reports by IPC.
 */
import { connect, type Socket } from "node:net";

/** How many connections to open per step until all were open once. Later closed ones are opened again more slowly. */
const atFirst = 100;
const everyMs = 10;

const [address = "", count = "0", what = "head", again = "2"] = process.argv.slice(2);
const { protocol, hostname, port } = new URL(address);
const begun =
  protocol === "https:" ? "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" : "GET / HTTP/1.1\r\nHost: ";
const whole = "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
const open = new Set<Socket>();
let [opened, closed] = [0, 0];

function fill(): void {
  for (
    let left = opened < Number(count) ? atFirst : Number(again);
    left > 0 && open.size < Number(count);
    left--
  ) {
    const socket = connect(Number(port), hostname);
    open.add(socket);
    socket.once("connect", () => {
      opened++;
      socket.write(what === "head" ? begun : whole);
      if (opened === Number(count)) process.send?.({ opened, closed });
    });
    socket.on("error", () => {});
    socket.resume();
    socket.once("close", () => {
      closed++;
      open.delete(socket);
    });
  }
}

setInterval(fill, everyMs);
process.on("message", () => process.send?.({ opened, closed }));
process.on("disconnect", () => process.exit(0));
