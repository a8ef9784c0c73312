// A command's hops between processes and nothing more: HTTP in, a pipe to a child, TCP out of it.
//   hops.child.ts PORT            prints the port of its HTTP server; the child connects to PORT
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import type { Writable } from "node:stream";

const lineDescriptor = 3;
const [, entry = "", port = "", role = "first"] = process.argv;

if (role === "first") {
  const child = spawn(process.execPath, [entry, port, "second"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const line = child.stdio[lineDescriptor] as Writable;
  // Whoever measures connects early and may ask only minutes later.
  const patient = { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 };
  const server = createServer(patient, (request, response) => {
    request.on("data", (chunk) => {
      line.write(chunk);
      response.end("null");
    });
  });
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  });
} else {
  const out = connect(Number(port), "127.0.0.1").setNoDelay(true);
  const line = new Socket({ fd: lineDescriptor, readable: true, writable: true });
  line.on("data", (chunk) => out.write(chunk));
  line.on("close", () => process.exit(0));
}
