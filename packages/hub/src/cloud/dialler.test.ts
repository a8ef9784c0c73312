import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { type KeyAndCertificate, makeSelfSigned } from "@ledge/host/self-signed";
import { systemClock } from "@ledge/kernel";
import {
  acceptTunnel,
  cloneHeaders,
  type CloneRefusal,
  FrameReader,
  frameTypes,
  refuseUpgrade,
  sessionOptions,
  type TunnelDuplex,
} from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import { Hono } from "hono";
import { Dialler, type DiallerOptions } from "./dialler.ts";
import { clientAddress } from "./tunnel-server.ts";

const quick = { ...limits, tunnelBackoffMinMs: 5, tunnelBackoffMaxMs: 20 };
const mebibyte = 1_048_576;

/** The cloud's side: accepts the dials of hubs and keeps the newest session. */
class TestCloud {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly upgrades: (string | undefined)[] = [];
  readonly tokens = new Set(["good"]);
  dials = 0;
  /** When set, refuses hubs because of another one with the same identity. */
  clone: CloneRefusal | undefined;
  /** Refuses this protocol, as a proxy does that does not know it. */
  refuses: string | undefined;
  session: ClientHttp2Session | undefined;
  duplex: TunnelDuplex | undefined;

  private constructor(secure?: KeyAndCertificate) {
    const refuse: RequestListener = (_request, response) => void response.writeHead(502).end();
    const { key, certificate: cert } = secure ?? {};
    this.#server = secure ? createSecureServer({ key, cert }, refuse) : createServer(refuse);
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.dials++;
      const { upgrade, authorization } = request.headers;
      this.upgrades.push(upgrade);
      if (upgrade === this.refuses) return refuseUpgrade(socket, 502, "a bad gateway");
      if (!this.tokens.has(authorization?.slice("Bearer ".length) ?? ""))
        return refuseUpgrade(socket, 401, "no such session");
      if (this.clone !== undefined)
        return refuseUpgrade(socket, 409, "another hub has the link", cloneHeaders(this.clone));
      acceptTunnel(request, socket, head, (duplex) => {
        this.duplex = duplex;
        duplex.on("error", () => {});
        const session = connect("http://hub", { ...sessionOptions, createConnection: () => duplex });
        session.on("error", () => {});
        session.once("connect", () => session.setLocalWindowSize(limits.tunnelWindowBytes));
        this.session = session;
      });
    });
  }

  static async open(port = 0, secure?: KeyAndCertificate): Promise<TestCloud> {
    const cloud = new TestCloud(secure);
    cloud.#server.listen(port, "127.0.0.1");
    await once(cloud.#server, "listening");
    clouds.push(cloud);
    return cloud;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** @returns status and body */
  async ask(
    path: string,
    headers: Record<string, string> = {},
    body?: string | Buffer,
  ): Promise<[status: number, body: Buffer]> {
    const stream = (this.session ?? assert.fail("no hub has dialled")).request(
      { ":path": path, ":method": body === undefined ? "GET" : "POST", ...headers },
      { endStream: body === undefined },
    );
    if (body !== undefined) stream.end(body);
    // Reading begins before the answer comes: node:http2 fails a read that begins after the stream has closed.
    const [[answer], chunks] = await Promise.all([once(stream, "response"), stream.toArray()]);
    return [(answer as { ":status": number })[":status"], Buffer.concat(chunks as Buffer[])];
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }
}

const clouds: TestCloud[] = [];
const diallers: Dialler[] = [];
afterEach(async () => {
  for (const dialler of diallers.splice(0)) await dialler.stop(0);
  for (const cloud of clouds.splice(0)) await cloud.close();
});

const app = new Hono<{ Bindings: { incoming: IncomingMessage } }>();
app.get("/hub", (c) => c.json({ address: clientAddress(c.env.incoming), key: c.req.header("x-hub-key") }));
const largeBody = new Uint8Array(16 * mebibyte);
app.get("/large", () => new Response(largeBody));
app.post("/refuse", async (c) => {
  const first = await c.env.incoming.iterator({ destroyOnReturn: false }).next();
  return c.json({ first: (first.value as Buffer).length > 0 }, 413);
});
app.post("/echo", async (c) => new Response(await c.req.arrayBuffer()));
app.get("/.ledge/ping", (c) => c.text("the API must not see this"));

function dial(cloud: TestCloud, options: Partial<DiallerOptions> = {}): Dialler {
  const dialler = new Dialler({
    url: `http://127.0.0.1:${cloud.port}`,
    token: () => Promise.resolve("good"),
    fetch: app.fetch,
    announced: () => {},
    clock: systemClock,
    random: () => 0,
    logger: { info: () => {}, warn: () => {} },
    times: quick,
    ...options,
  });
  diallers.push(dialler);
  dialler.start();
  return dialler;
}

test("a hub that has dialled serves its API in the tunnel", async () => {
  const cloud = await TestCloud.open();
  const told: boolean[] = [];
  const dialler = dial(cloud, { changed: (connected) => void told.push(connected) });
  assert.equal(dialler.connected, false);
  await until(() => dialler.connected);
  const [status, body] = await cloud.ask("/hub", { "x-forwarded-for": "192.0.2.7", "x-hub-key": "k" });
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(body.toString()), { address: "192.0.2.7", key: "k" });
  await dialler.stop();
  assert.equal(dialler.connected, false);
  assert.deepEqual(told, [true, false]);
});

test("serves its API in a tunnel over TLS", async () => {
  const secure = makeSelfSigned("localhost");
  setDefaultCACertificates([...getCACertificates(), secure.certificate]);
  const cloud = await TestCloud.open(0, secure);
  const dialler = dial(cloud, { url: `https://localhost:${cloud.port}` });
  await until(() => dialler.connected);
  assert.equal((await cloud.ask("/hub", { "x-hub-key": "k" }))[0], 200);
  const body = Buffer.alloc(mebibyte, 5);
  assert.deepEqual(await cloud.ask("/echo", {}, body), [200, body]);
  await dialler.stop();
});

test("ends a short answer with the frame of its body", async () => {
  const cloud = await TestCloud.open();
  const dialler = dial(cloud);
  await until(() => dialler.connected);
  const ofAnswers: number[] = [frameTypes.headers, frameTypes.data];
  const frames: number[] = [];
  const reader = new FrameReader(0, (type) => void (ofAnswers.includes(type) && frames.push(type)));
  cloud.duplex?.watch({ received: (chunk) => reader.read(chunk), sent: () => {} });
  await cloud.ask("/hub");
  assert.deepEqual(frames, ofAnswers);
});

test("messages from the cloud to the hub itself never reach the API", async () => {
  const cloud = await TestCloud.open();
  const numbers: number[] = [];
  const dialler = dial(cloud, { announced: (seq) => void numbers.push(seq) });
  await until(() => dialler.connected);
  const status = async (path: string, body?: string): Promise<number> => (await cloud.ask(path, {}, body))[0];
  assert.equal((await cloud.ask("/.ledge/ping"))[1].toString(), "true");
  assert.equal(await status("/.ledge/authorizations", '{"seq":7}'), 200);
  for (const body of ["", "{}", "null", '{"seq":-1}', '{"seq":"7"}', `{"seq":7${" ".repeat(10_000)}}`])
    assert.equal(await status("/.ledge/authorizations", body), 422, body.slice(0, 20));
  assert.equal(await status("/.ledge/other"), 404);
  assert.equal(await status("/.ledge/authorizations"), 404);
  assert.deepEqual(numbers, [7]);
});

test("answers and bodies of 16 MiB pass while 80 others stall", async () => {
  const cloud = await TestCloud.open();
  const dialler = dial(cloud);
  await until(() => dialler.connected);
  const stalled = Array.from({ length: 80 }, () => {
    const stream = cloud.session?.request({ ":path": "/large" }) ?? assert.fail();
    stream.on("error", () => {});
    return stream;
  });
  await Promise.all(stalled.map((stream) => once(stream, "response")));
  const [status, large] = await cloud.ask("/large");
  assert.deepEqual([status, large.length], [200, 16 * mebibyte]);
  const body = Buffer.alloc(16 * mebibyte, 5);
  assert.ok((await cloud.ask("/echo", {}, body))[1].equals(body));
  assert.equal((await cloud.ask("/hub"))[0], 200);
  for (const stream of stalled) stream.close(constants.NGHTTP2_CANCEL);
});

test("releases a request body that the API does not read to its end", async () => {
  const cloud = await TestCloud.open();
  const dialler = dial(cloud);
  await until(() => dialler.connected);
  const stream = cloud.session?.request({ ":path": "/refuse", ":method": "POST" }) ?? assert.fail();
  stream.on("error", () => {});
  const closed = once(stream, "close");
  stream.write(Buffer.alloc(16 * mebibyte));
  const [answer] = (await once(stream, "response")) as [{ ":status": number }];
  assert.equal(answer[":status"], 413);
  stream.resume();
  await once(stream, "end");
  stream.close(constants.NGHTTP2_CANCEL);
  await closed;
  assert.equal((await cloud.ask("/hub"))[0], 200);
});

test("falls back to a WebSocket when an upgrade fails, and stays with it", async () => {
  const cloud = await TestCloud.open();
  cloud.refuses = "ledge-tunnel/1";
  const dialler = dial(cloud);
  await until(() => dialler.connected);
  assert.deepEqual(cloud.upgrades, ["ledge-tunnel/1", "websocket"]);
  assert.equal((await cloud.ask("/hub"))[0], 200);
  cloud.duplex?.destroy();
  await until(() => cloud.dials === 3 && dialler.connected);
  assert.deepEqual(cloud.upgrades, ["ledge-tunnel/1", "websocket", "websocket"]);
});

test("asks for a new token when the cloud refuses one", async () => {
  const cloud = await TestCloud.open();
  const asked: (string | undefined)[] = [];
  const token = (refused: string | undefined): Promise<string> => {
    asked.push(refused);
    return asked.length === 1 ? Promise.resolve("old") : Promise.resolve("good");
  };
  const dialler = dial(cloud, { token });
  await until(() => dialler.connected);
  assert.deepEqual(asked, [undefined, "old"]);
  assert.deepEqual(cloud.upgrades, ["ledge-tunnel/1", "ledge-tunnel/1"]);
});

test("reconnects to a cloud that was restarted, and to one that said goodbye", async () => {
  const first = await TestCloud.open();
  const { port } = first;
  const dialler = dial(first);
  await until(() => dialler.connected);
  await first.close();
  await until(() => !dialler.connected);
  const second = await TestCloud.open(port);
  await until(() => dialler.connected);
  assert.equal((await second.ask("/hub"))[0], 200);
  second.session?.close();
  await until(() => second.dials === 2 && dialler.connected);
  assert.equal((await second.ask("/hub"))[0], 200);
});

test("drops the connection to a silent cloud", async () => {
  const cloud = await TestCloud.open();
  const dialler = dial(cloud, { times: { ...quick, tunnelPingMs: 60, tunnelSilenceMs: 50 } });
  await until(() => dialler.connected);
  cloud.duplex?.pause();
  cloud.duplex?.removeAllListeners("data");
  await until(() => cloud.dials >= 2);
});

test("backs off after each failure, up to twice as long, at random, up to a limit", async () => {
  const rests: number[] = [];
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const clock = {
    monotonic: () => 0,
    after: (ms: number, callback: () => void) => {
      if (ms === limits.tunnelDialMs) return () => {};
      rests.push(ms);
      if (rests.length < 9) setImmediate(callback);
      else resolve();
      return () => {};
    },
  };
  const chances = [0, 0.5];
  const random = (): number => chances[rests.length % 2] ?? 0;
  const cloud = await TestCloud.open();
  dial(cloud, { clock, random, token: () => Promise.reject(new Error("down")), times: limits });
  await enough;
  assert.deepEqual(rests, [500, 1500, 2000, 6000, 8000, 24_000, 32_000, 90_000, 60_000]);
});

test("a hub refused because of a clone dials rarely, in the same way, until something changes", async () => {
  const cloud = await TestCloud.open();
  cloud.clone = { kind: "older", newest: 7 };
  const refusals: CloneRefusal[] = [];
  const rests: number[] = [];
  const wakes: (() => void)[] = [];
  const clock = {
    monotonic: () => 0,
    after: (ms: number, callback: () => void) => {
      if (ms !== quick.tunnelDialMs && ms >= limits.cloneRetryMs / 2) {
        rests.push(ms);
        wakes.push(callback);
      }
      return () => {};
    },
  };
  const dialler = dial(cloud, { clock, refused: (refusal) => void refusals.push(refusal) });
  for (const dials of [1, 2, 3]) {
    await until(() => rests.length === dials);
    assert.equal(cloud.dials, dials);
    if (dials < 3) wakes.pop()?.();
  }
  assert.deepEqual(rests, [150_000, 150_000, 150_000]);
  assert.deepEqual(refusals[2], { kind: "older", newest: 7 });
  assert.deepEqual(new Set(cloud.upgrades), new Set(["ledge-tunnel/1"]));
  cloud.clone = undefined;
  dialler.hasten();
  await until(() => dialler.connected);
});

test("a change during a refused dial makes the next dial come at once", async () => {
  const cloud = await TestCloud.open();
  cloud.clone = { kind: "older", newest: 7 };
  const refusals: CloneRefusal[] = [];
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const token = async (): Promise<string> => {
    asked.resolve();
    await go.promise;
    return "good";
  };
  const refused = (refusal: CloneRefusal): void => void refusals.push(refusal);
  const dialler = dial(cloud, { token, refused, times: { ...quick, tunnelBackoffMaxMs: 600_000 } });
  await asked.promise;
  dialler.hasten();
  go.resolve();
  await until(() => cloud.dials === 2);
  cloud.clone = undefined;
  dialler.hasten();
  await until(() => dialler.connected);
  assert.ok(refusals.length <= 1);
});

test("passes on the cloud's reports about a clone, and refuses malformed ones", async () => {
  const cloud = await TestCloud.open();
  const heard: string[] = [];
  const dialler = dial(cloud, { cloned: (kind) => void heard.push(kind) });
  await until(() => dialler.connected);
  const status = async (body: string): Promise<number> => (await cloud.ask("/.ledge/clone", {}, body))[0];
  assert.deepEqual([await status('{"kind":"older"}'), await status('{"kind":"same"}')], [200, 200]);
  for (const body of ["", "{}", "null", '{"kind":"newer"}', '{"kind":["same"]}'])
    assert.equal(await status(body), 422, body);
  assert.deepEqual(heard, ["older", "same"]);
});

test("says goodbye at a stop and lets pending requests finish", async () => {
  const cloud = await TestCloud.open();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const slow = new Hono().get("/slow", async (c) => {
    begin();
    await held;
    return c.text("last");
  });
  const dialler = dial(cloud, { fetch: slow.fetch });
  await until(() => dialler.connected);
  const waiting = cloud.ask("/slow");
  await begun;
  const goodbye = once(cloud.session ?? assert.fail(), "goaway");
  const stopped = dialler.stop(600_000);
  await goodbye;
  release();
  assert.equal((await waiting)[1].toString(), "last");
  await stopped;
});

test("a cloud that has gone silent does not delay the stop", async () => {
  const cloud = await TestCloud.open();
  const dialler = dial(cloud, { times: { ...quick, tunnelPingMs: 600_000 } });
  await until(() => dialler.connected);
  cloud.duplex?.pause();
  cloud.duplex?.removeAllListeners("data");
  await dialler.stop(20);
  assert.equal(dialler.connected, false);
});
