import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { makeSelfSigned } from "./self-signed.ts";
import { closeServer, createServer, createTlsServer, listen } from "./server.ts";

async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  socket.end(text);
  await once(socket, "close");
  return answer;
}

test("answers a malformed request with a message", async () => {
  const server = createServer(() => new Response("never"));
  const address = await listen(server, "127.0.0.1", 0);
  const port = Number(new URL(address).port);
  const answer = await raw(port, "GET http://[bad/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  assert.match(answer, /^HTTP\/1.1 422 /);
  assert.match(answer, /"message":"this request cannot be read"/);
  await closeServer(server);
});

test("refuses an unknown expectation with a message", async () => {
  const server = createServer(() => new Response("never"));
  const address = await listen(server, "127.0.0.1", 0);
  const head = "GET / HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\nConnection: close\r\n\r\n";
  const answer = await raw(Number(new URL(address).port), head);
  assert.match(answer, /^HTTP\/1.1 417 /);
  assert.match(answer, /"message":"this expectation cannot be met"/);
  await closeServer(server);
});

test("passes any Host to the API, with path and query", async () => {
  const server = createServer((request, env) => {
    const { headers } = (env as { incoming: IncomingMessage }).incoming;
    const { pathname, search } = new URL(request.url);
    return new Response(`<${headers.host}> ${pathname}${search}`);
  });
  const address = await listen(server, "127.0.0.1", 0);
  const port = Number(new URL(address).port);
  for (const host of [
    "[::1]:8893",
    "[fe80::1]",
    "[fe80:0::1]",
    "[fe80:0::1]:8893",
    "127.0.0.1:",
    "127.0.0.1:80",
    "CABIN.local.:99999",
    "a b",
    "",
  ]) {
    const answer = await raw(
      port,
      `GET /cc/1.14/hub/tz?a=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1.1 200 /, `${host}: ${answer}`);
    assert.ok(answer.includes(`<${host}> /cc/1.14/hub/tz?a=1`), answer);
  }
  const old = await raw(port, "GET /x HTTP/1.0\r\n\r\n");
  assert.ok(old.includes("<undefined> /x"), old);
  await closeServer(server);
});

test("a client answered during the shutdown does not delay it", async () => {
  const [begun, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()];
  const server = createServer(() => {
    begun.resolve();
    return answer.promise;
  });
  // The client keeps its connection open for further requests.
  const asked = fetch(await listen(server, "127.0.0.1", 0));
  await begun.promise;
  const closed = closeServer(server, 2 ** 31 - 1);
  answer.resolve(new Response("late"));
  assert.equal(await (await asked).text(), "late");
  await closed;
});

for (const isSecure of [false, true]) {
  test(`a silent connection does not delay the shutdown, TLS ${isSecure}`, async () => {
    const { key, certificate } = makeSelfSigned("localhost");
    const fetch = (): Response => new Response("never");
    const server = isSecure ? createTlsServer(fetch, key, certificate) : createServer(fetch);
    const port = Number(new URL(await listen(server, "127.0.0.1", 0)).port);
    const socket = isSecure ? connectTls(port, { rejectUnauthorized: false }) : connect(port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, isSecure ? "secureConnect" : "connect");
    await closeServer(server, 2 ** 31 - 1);
    assert.equal(server.listening, false);
  });
}

test("a request that never ends delays the shutdown only for the grace time", async () => {
  const server = createServer(() => new Promise<Response>(() => {}));
  const address = await listen(server, "127.0.0.1", 0);
  const socket = connect(Number(new URL(address).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(server, "request");
  await closeServer(server, 50);
  assert.equal(server.listening, false);
  socket.destroy();
});
