import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from "node:http2";
import { type AddressInfo, connect as dial, createServer, type Socket } from "node:net";
import { afterEach, test } from "node:test";
import { systemClock } from "@ledge/kernel";
import { sessionOptions } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import { Hono } from "hono";
import { clientAddress, serveTunnel } from "./tunnel-server.ts";

interface Env {
  readonly Bindings: { readonly incoming: IncomingMessage };
}

const long = "x".repeat(4 * limits.tunnelPieceBytes);

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const ends: { destroy(): void }[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end.destroy();
});

/** Serves an app at one end of a connection. Returns the cloud's session at the other end. */
async function open(app: Hono<Env>): Promise<ClientHttp2Session> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const carrier = dial((server.address() as AddressInfo).port, "127.0.0.1");
  const [[socket]] = await Promise.all([accepted, once(carrier, "connect")]);
  server.close();
  const options = { fetch: app.fetch, announced: () => {}, clock: systemClock };
  const served = serveTunnel(carrier, options, () => {});
  const session = connect("http://hub", { ...sessionOptions, createConnection: () => socket });
  session.on("error", () => {});
  ends.push(session, carrier, socket);
  await served;
  return session;
}

async function ask(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<Answer> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [[answer], chunks] = await Promise.all([once(stream, "response"), stream.toArray()]);
  const { ":status": status, ...rest } = answer as { ":status": number };
  return { status, headers: rest, body: Buffer.concat(chunks as Buffer[]).toString() };
}

const app = new Hono<Env>();
const anyMethod = ["GET", "POST", "PUT", "DELETE"];
app.on(anyMethod, "/said", async (c) => {
  const { method, url, headers } = c.env.incoming;
  const name = c.req.header("x-name");
  return c.json({ method, url, name, same: headers["x-name"] === name, body: await c.req.text() });
});
app.get("/address", (c) => c.text(clientAddress(c.env.incoming)));
app.get("/socket", (c) => c.json(c.env.incoming.socket === undefined));
app.get("/long", (c) => c.text(long));
app.get("/nothing", (c) => c.body(null, 204));
app.get("/unchanged", () => new Response(null, { status: 304, headers: { etag: '"1"' } }));
app.get("/fails", () => {
  throw new Error("on purpose");
});
app.onError((error, c) => c.text(error.message, 500));

test("serves a request with and without a body alike", async () => {
  const session = await open(app);
  for (const [method, body] of [["GET"], ["GET", ""], ["DELETE"], ["PUT", "b"], ["POST", long]] as const) {
    const answer = await ask(session, { ":method": method, ":path": "/said?a=1", "x-name": "n" }, body);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], "application/json");
    const said = { method, url: "/said?a=1", name: "n", same: true, body: method === "GET" ? "" : body };
    assert.deepEqual(JSON.parse(answer.body), { ...said, body: said.body ?? "" });
  }
});

test("answers HEAD, 204 and 304 without a body", async () => {
  const session = await open(app);
  const head = await ask(session, { ":method": "HEAD", ":path": "/long" });
  assert.deepEqual([head.status, head.body], [200, ""]);
  const nothing = await ask(session, { ":path": "/nothing" });
  assert.deepEqual([nothing.status, nothing.body], [204, ""]);
  const unchanged = await ask(session, { ":path": "/unchanged" });
  assert.deepEqual([unchanged.status, unchanged.headers["etag"], unchanged.body], [304, '"1"', ""]);
});

test("sends only those headers of an answer to a read that the cloud passes on", async () => {
  const headed = new Hono<Env>().get("/headed", () => {
    const headers = { "Content-Type": "text/plain", "Retry-After": "5", vary: "accept", "x-own": "1" };
    return new Response("headed", { headers: { ...headers, "cache-control": "no-store" } });
  });
  const session = await open(headed);
  const { headers, body } = await ask(session, { ":path": "/headed" });
  assert.equal(body, "headed");
  assert.deepEqual(Object.fromEntries(Object.entries(headers)), {
    "content-type": "text/plain",
    "content-length": "6",
    "retry-after": "5",
    vary: "accept",
  });
});

test("answers with a whole body that is longer than a piece", async () => {
  const session = await open(app);
  const answer = await ask(session, { ":path": "/long" });
  assert.equal(Number(answer.headers["content-length"]), long.length);
  assert.equal(answer.body, long);
});

test("answers 404 and 500 as any listener does, and 405 to CONNECT", async () => {
  const session = await open(app);
  assert.equal((await ask(session, { ":path": "/absent" })).status, 404);
  assert.equal((await ask(session, { ":path": "/fails" })).status, 500);
  assert.equal((await ask(session, { ":method": "CONNECT", ":authority": "hub" })).status, 405);
  assert.equal((await ask(session, { ":path": "/nothing" })).status, 204);
});

test("knows the client's address, and no socket of a client", async () => {
  const session = await open(app);
  const from = { "x-forwarded-for": "192.0.2.7" };
  assert.equal((await ask(session, { ":path": "/address", ...from })).body, "192.0.2.7");
  assert.equal((await ask(session, { ":path": "/address" })).body, "relay");
  assert.equal((await ask(session, { ":path": "/socket" })).body, "true");
});

test("aborts a streamed answer when the cloud cancels the request", async () => {
  const aborted = Promise.withResolvers<void>();
  const streaming = new Hono<Env>().get("/stream", (c) => {
    c.req.raw.signal.addEventListener("abort", () => aborted.resolve());
    return new Response(new ReadableStream({ start: (to) => to.enqueue(Buffer.from("first")) }));
  });
  const session = await open(streaming);
  const stream = session.request({ ":path": "/stream" });
  const [first] = (await once(stream, "data")) as [Buffer];
  assert.equal(first.toString(), "first");
  stream.close(constants.NGHTTP2_CANCEL);
  await aborted.promise;
});

test("drops the answer to a request that the cloud has cancelled", async () => {
  const [begun, held] = [Promise.withResolvers<AbortSignal>(), Promise.withResolvers<void>()];
  const slow = new Hono<Env>();
  slow.get("/slow", async (c) => {
    begun.resolve(c.req.raw.signal);
    await held.promise;
    return c.text(long);
  });
  slow.get("/quick", (c) => c.text("quick"));
  const session = await open(slow);
  const stream = session.request({ ":path": "/slow" });
  const signal = await begun.promise;
  const aborted = once(signal, "abort");
  stream.close(constants.NGHTTP2_CANCEL);
  await aborted;
  held.resolve();
  assert.equal((await ask(session, { ":path": "/quick" })).body, "quick");
});
