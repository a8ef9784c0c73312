import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { test, type TestContext } from "node:test";
import { probeIp } from "./ip-probe.ts";

async function listening(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test("takes any status of a web server as an answer", async (t) => {
  const port = await listening(
    t,
    createHttpServer((_, response) => response.writeHead(404).end("none")),
  );
  assert.equal(await probeIp("127.0.0.1", port, 60_000), "answered");
});

for (const [what, speak] of [
  ["speaks something else", (socket: Socket) => socket.end("SSH-2.0-x\r\n")],
  ["hangs up", (socket: Socket) => socket.end()],
] as const) {
  test(`takes a server that ${what} as answered`, async (t) => {
    const port = await listening(t, createServer(speak));
    assert.equal(await probeIp("127.0.0.1", port, 60_000), "answered");
  });
}

test("reports a closed port as refused", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  assert.equal(await probeIp("127.0.0.1", port, 60_000), "refused");
});

test("reports a silent server as a timeout", async (t) => {
  const port = await listening(t, createServer());
  assert.equal(await probeIp("127.0.0.1", port, 50), "timeout");
});
