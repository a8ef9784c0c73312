// A Modbus TCP server on a free port, whose registers all change with every read. Prints its port.
import { type AddressInfo, createServer } from "node:net";

let reading = 0;

const server = createServer({ noDelay: true }, (socket) => {
  let received: Buffer = Buffer.alloc(0);
  socket.on("error", () => {});
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    while (received.length >= 12) {
      const count = received.readUInt16BE(10);
      const answer = Buffer.alloc(9 + count * 2);
      received.copy(answer, 0, 0, 8);
      answer.writeUInt16BE(3 + count * 2, 4);
      answer.writeUInt8(count * 2, 8);
      reading += 1;
      for (let index = 0; index < count; index++)
        answer.writeUInt16BE((reading + index) % 1000, 9 + index * 2);
      socket.write(answer);
      received = received.subarray(12);
    }
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.on("disconnect", () => process.exit());
process.stdin.on("end", () => process.exit()).resume();
