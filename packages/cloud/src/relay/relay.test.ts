import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { connect, type Socket } from "node:net";
import { afterEach, describe, test } from "node:test";
import { setTimeout as setTimeoutOf } from "node:timers/promises";
import { limits } from "@ledge/model";
import { TestRelay } from "./test-relay.ts";

const relays: TestRelay[] = [];
afterEach(async () => {
  for (const cloud of relays.splice(0)) await cloud.close();
});

async function open(...options: Parameters<typeof TestRelay.open>): Promise<TestRelay> {
  const cloud = await TestRelay.open(...options);
  relays.push(cloud);
  return cloud;
}

const echoPath = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
  stream.respond({ ":status": 200, "content-type": "application/json" });
  stream.end(JSON.stringify([headers[":method"], headers[":path"]]));
};

const mebibyte = 1_048_576;

/** Writes so many bytes as fast as the stream takes them. */
async function pour(stream: ServerHttp2Stream, bytes: number): Promise<void> {
  const piece = Buffer.alloc(32_768, 7);
  const closed = once(stream, "close");
  stream.respond({ ":status": 200 });
  for (let sent = 0; sent < bytes && !stream.destroyed; sent += piece.length) {
    if (!stream.write(piece)) await Promise.race([once(stream, "drain"), closed]);
  }
  stream.end();
}

async function bytesOf(response: Response): Promise<number> {
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
  return bytes;
}

/** Sends a request as a client that does not read the answer. */
async function stall(cloud: TestRelay, path: string): Promise<Socket> {
  const socket = connect(cloud.port, "127.0.0.1");
  await once(socket, "connect");
  const key = await cloud.hubKey();
  socket.pause();
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: cloud-token\r\nX-Hub-Key: ${key}\r\n\r\n`);
  return socket;
}

for (const transport of ["upgrade", "websocket"] as const) {
  describe(`over ${transport}`, () => {
    test("every path of the relay reaches the hub", async () => {
      const cloud = await open();
      await cloud.dial(echoPath, transport);
      for (const [path, there] of [
        ["/relay/hub", "/hub"],
        ["/relay/cc/1.14/hub/poll?ts=5", "/cc/1.14/hub/poll?ts=5"],
        ["/ui/0.2/hub/remote/cc/1.14/rooms", "/cc/1.14/rooms"],
        ["/ui/0.2/hub/hub-1/remote/hub", "/hub"],
        ["/legacy/ui/0.2/hub/hub-1/remote/cc/1.14/rooms", "/cc/1.14/rooms"],
      ] as const) {
        const response = await cloud.get(path);
        assert.equal(response.status, 200, path);
        assert.deepEqual(await response.json(), ["GET", there]);
      }
    });

    test("bodies of 16 MiB go both ways beside a stalled reader and 50 other requests", async () => {
      const cloud = await open();
      await cloud.dial((stream, headers) => {
        if (headers[":path"] === "/cc/1.14/large") return void pour(stream, 16 * mebibyte);
        if (headers[":method"] === "GET") return echoPath(stream, headers);
        stream.respond({ ":status": 200 });
        stream.pipe(stream);
      }, transport);
      const stalled = await stall(cloud, "/relay/cc/1.14/large");
      const body = Buffer.alloc(16 * mebibyte, 3);
      const echoed = cloud.get("/relay/cc/1.14/echo", { method: "POST", body });
      const small = Array.from({ length: 50 }, async (_, index) => {
        const response = await cloud.get(`/relay/cc/1.14/${index}`);
        assert.deepEqual(await response.json(), ["GET", `/cc/1.14/${index}`]);
      });
      const large = cloud.get("/relay/cc/1.14/large");
      await Promise.all(small);
      assert.equal(await bytesOf(await large), 16 * mebibyte);
      assert.ok(Buffer.from(await (await echoed).arrayBuffer()).equals(body));
      stalled.destroy();
    });

    test("80 stalled readers leave room for others, and the hub learns when they leave", async () => {
      const cloud = await open();
      let ended = 0;
      await cloud.dial((stream, headers) => {
        if (headers[":path"] !== "/cc/1.14/large") return echoPath(stream, headers);
        void pour(stream, 64 * mebibyte);
        stream.once("close", () => ended++);
      }, transport);
      const stalled = await Promise.all(
        Array.from({ length: 80 }, () => stall(cloud, "/relay/cc/1.14/large")),
      );
      for (let round = 0; round < 5; round++) assert.equal((await cloud.get("/relay/hub")).status, 200);
      assert.equal(ended, 0);
      for (const socket of stalled) socket.destroy();
      await until(() => ended === 80);
    });

    test("a dead hub breaks a begun answer off, and gives 502 before the answer has begun", async () => {
      const cloud = await open();
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const hub = await cloud.dial((stream, headers) => {
        if (headers[":path"] === "/cc/1.14/large") void pour(stream, 64 * mebibyte);
        else begin();
      }, transport);
      const large = await cloud.get("/relay/cc/1.14/large");
      const waiting = cloud.get("/relay/cc/1.14/slow");
      await begun;
      hub.kill();
      assert.equal((await waiting).status, 502);
      await assert.rejects(bytesOf(large));
      assert.equal((await cloud.get("/relay/hub")).status, 408);
    });

    test("cancels a request at the hub when its client cancels", async () => {
      const cloud = await open({ relayLeaveMs: 20 });
      const codes: (number | undefined)[] = [];
      let asked = 0;
      await cloud.dial((stream, headers) => {
        asked++;
        stream.once("close", () => codes.push(stream.rstCode));
        if (headers[":path"] === "/cc/1.14/large") void pour(stream, 64 * mebibyte);
      }, transport);
      const large = await cloud.get("/relay/cc/1.14/large");
      await large.body?.cancel();
      await until(() => codes.length === 1);
      const leaving = await stall(cloud, "/relay/cc/1.14/silent");
      await until(() => asked === 2);
      leaving.destroy();
      await until(() => codes.length === 2);
      assert.deepEqual(codes, [constants.NGHTTP2_CANCEL, constants.NGHTTP2_CANCEL]);
    });
  });
}

describe("access", () => {
  test("needs both tokens, for the same user and the hub, and ends access at once", async () => {
    const cloud = await open();
    await cloud.dial(echoPath);
    cloud.accounts.set("eve-token", "eve");
    const status = async (headers: Record<string, string>, path = "/relay/hub"): Promise<number> =>
      (await fetch(`${cloud.url}${path}`, { headers })).status;
    const authorization = "cloud-token";
    const key = await cloud.hubKey();
    assert.equal(await status({ authorization, "x-hub-key": key }), 200);
    assert.equal(await status({ authorization: `Bearer ${authorization}`, "x-hub-key": key }), 200);
    assert.equal(await status({ "x-hub-key": key }), 401);
    assert.equal(await status({ authorization: "null", "x-hub-key": key }), 401);
    assert.equal(await status({ authorization: "forged", "x-hub-key": key }), 401);
    assert.equal(await status({ authorization }), 401);
    assert.equal(await status({ authorization, "x-hub-key": "null" }), 401);
    assert.equal(await status({ authorization, "x-hub-key": `${key}x` }), 401);
    const old = await cloud.hubKey({}, Date.now() - limits.hubKeyMs - 1000);
    assert.equal(await status({ authorization, "x-hub-key": old }), 401);
    assert.equal(await status({ authorization: "eve-token", "x-hub-key": key }), 403);
    assert.equal(await status({ authorization, "x-hub-key": key }, "/ui/0.2/hub/hub-2/remote/hub"), 403);
    const elsewhere = await cloud.hubKey({ hub_id: "hub-2" });
    assert.equal(await status({ authorization, "x-hub-key": elsewhere }), 401);
    cloud.granted.set("ada hub-1", 3);
    assert.equal(
      await status({ authorization, "x-hub-key": key }),
      401,
      "a key from before the user got access",
    );
    const renewed = await cloud.hubKey({ auth_seq: 3 });
    assert.equal(await status({ authorization, "x-hub-key": renewed }), 200);
    cloud.granted.delete("ada hub-1");
    assert.equal(await status({ authorization, "x-hub-key": renewed }), 401);
  });

  test("answers 402 without remote access, 408 soon after a hub has gone, and 400 later", async () => {
    const cloud = await open({ hubOfflineMs: 3_600_000 });
    const later = await open({ hubOfflineMs: 0 });
    assert.equal((await cloud.get("/relay/hub")).status, 408);
    assert.equal((await later.get("/relay/hub")).status, 400);
    cloud.features.set("hub-1", []);
    assert.equal((await cloud.get("/relay/hub")).status, 402);
  });

  test("passes the hub's statuses on, answers 404 for other paths, and lets browsers call", async () => {
    const cloud = await open();
    await cloud.dial((stream, headers) => {
      stream.respond({ ":status": Number(headers[":path"]?.split("/").at(-1)) }, { endStream: true });
    });
    for (const status of [204, 401, 403, 410, 422, 429, 500]) {
      assert.equal((await cloud.get(`/relay/cc/1.14/${status}`)).status, status);
    }
    for (const path of ["/relay/.ledge/ping", "/relay/cc/../.ledge/ping", "/relay/", "/relay/hub/poll"])
      assert.equal((await cloud.get(path)).status, 404, path);
    const preflight = await fetch(`${cloud.url}/relay/cc/1.14/rooms`, { method: "OPTIONS" });
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /x-hub-key/);
  });

  test("keeps the cloud token, and drops headers of one connection", async () => {
    const cloud = await open();
    let heard: IncomingHttpHeaders = {};
    await cloud.dial((stream, headers) => {
      heard = headers;
      stream.respond({ ":status": 200, "ledge-recorded": "yes" }, { endStream: true });
    });
    const socket = connect(cloud.port, "127.0.0.1");
    const lines = [
      "GET /relay/hub HTTP/1.1",
      "Host: cloud",
      "Authorization: cloud-token",
      `X-Hub-Key: ${await cloud.hubKey()}`,
      "Connection: close, X-Mine",
      "X-Mine: 1",
      "TE: trailers",
      "Keep-Alive: timeout=5",
      "Cookie: a=b",
      "X-Forwarded-For: 203.0.113.9",
      "Accept-Language: nb",
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    assert.match(answer, /^HTTP\/1\.1 200[^]*ledge-recorded: yes/i);
    const names = Object.keys(heard).filter((name) => !name.startsWith(":"));
    assert.deepEqual(names.toSorted(), ["accept-language", "x-forwarded-for", "x-hub-key"]);
    assert.equal(heard["x-forwarded-for"], "192.0.2.7");
  });
});

describe("tunnels", () => {
  test("only a hub's session can open one, with a protocol that both ends speak", async () => {
    const cloud = await open();
    await assert.rejects(cloud.dial(echoPath, "upgrade", "forged"), { status: 401 });
    await assert.rejects(cloud.dial(echoPath, "websocket", "forged"), { status: 401 });
    const answer = async (head: string): Promise<string> => {
      const socket = connect(cloud.port, "127.0.0.1");
      socket.write(`${head}\r\nHost: x\r\nConnection: Upgrade\r\nAuthorization: Bearer hub-token\r\n\r\n`);
      let text = "";
      for await (const chunk of socket) text += String(chunk);
      return text;
    };
    assert.match(await answer("GET /hub/tunnel HTTP/1.1\r\nUpgrade: ledge-tunnel/2"), /^HTTP\/1.1 426 /);
    assert.equal(cloud.relay.tunnels.size, 0);
  });

  test("the newer of two takes new requests, and the older finishes its own", async () => {
    const cloud = await open();
    const { promise: begun, resolve: begin } = Promise.withResolvers<ServerHttp2Stream>();
    await cloud.dial((stream) => begin(stream));
    const waiting = cloud.get("/relay/cc/1.14/slow");
    const first = await begun;
    await cloud.dial(echoPath);
    assert.equal((await cloud.get("/relay/hub")).status, 200);
    first.respond({ ":status": 200 });
    first.end("first");
    assert.equal(await (await waiting).text(), "first");
    assert.equal(cloud.relay.tunnels.size, 1);
  });

  test("ends a silent one, and answers its pending requests with 502", async () => {
    const cloud = await open();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const hub = await cloud.dial(() => begin());
    const waiting = cloud.get("/relay/cc/1.14/slow");
    await begun;
    // No more data arrives, and no event reports it.
    hub.duplex.pause();
    hub.duplex.removeAllListeners("data");
    // What was on its way may still count as a sign of life.
    await until(() => {
      cloud.goOff(limits.tunnelPingMs);
      cloud.goOff(limits.tunnelSilenceMs);
      return cloud.relay.tunnels.size === 0;
    });
    assert.equal((await waiting).status, 502);
    assert.deepEqual(cloud.told, [
      ["hub-1", true],
      ["hub-1", false],
    ]);
  });

  /**
   * A HEADERS frame that ends the first stream with `:status: 999`, which node:http2 does not send (RFC 9113
   * 6.2).
   */
  const status999 = Buffer.from([0, 0, 5, 1, 5, 0, 0, 0, 1, 8, 3, 57, 57, 57]);

  test("stops sending a body when the hub has already answered", async () => {
    const cloud = await open();
    let closed = 0;
    await cloud.dial((stream) => {
      stream.once("close", () => closed++);
      stream.resume();
      stream.once("data", () => {
        stream.respond({ ":status": 413 });
        stream.end("too large");
      });
    });
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(32_768)),
    });
    const answer = await cloud.get("/relay/cc/1.14/large", { method: "POST", body, duplex: "half" });
    assert.equal(answer.status, 413);
    assert.equal(await answer.text(), "too large");
    await until(() => closed === 1);
  });

  test("answers 502 when a hub sends garbage or resets its connection, and the next tunnel works", async () => {
    const cloud = await open();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const hub = await cloud.dial((_stream, headers) => {
      if (headers[":path"] === "/cc/1.14/slow") return begin();
      hub.duplex.write(status999);
    });
    assert.equal((await cloud.get("/relay/hub")).status, 502);
    const waiting = cloud.get("/relay/cc/1.14/slow");
    await begun;
    hub.duplex.write("this is no HTTP/2 at all, and quite long enough to be seen as such");
    assert.equal((await waiting).status, 502);
    await until(() => cloud.relay.tunnels.size === 0);
    await cloud.dial(echoPath);
    assert.equal((await cloud.get("/relay/hub")).status, 200);
  });

  test("answers 504 when a hub takes too long", async () => {
    const cloud = await open({ relayAnswerMs: 50 });
    await cloud.dial(() => {});
    assert.equal((await cloud.get("/relay/hub")).status, 504);
  });

  test("a drained one ends together with its last request", async () => {
    const cloud = await open();
    const { promise: begun, resolve: begin } = Promise.withResolvers<ServerHttp2Stream>();
    const hub = await cloud.dial((stream) => begin(stream));
    const waiting = cloud.get("/relay/cc/1.14/slow");
    const stream = await begun;
    const closed = once(hub.duplex, "close");
    const drained = cloud.relay.close(600_000);
    stream.respond({ ":status": 200 });
    stream.end("last");
    assert.equal(await (await waiting).text(), "last");
    await Promise.all([drained, closed]);
  });

  test("a silent hub does not delay the shutdown", async () => {
    const cloud = await open({ tunnelPingMs: 600_000 });
    const hub = await cloud.dial(() => {});
    hub.duplex.pause();
    hub.duplex.removeAllListeners("data");
    await cloud.relay.close(20);
    assert.equal(cloud.relay.tunnels.sessions, 0);
  });

  test("ends at once for a hub that says goodbye", async () => {
    const cloud = await open({ tunnelPingMs: 600_000 });
    const hub = await cloud.dial(() => {});
    const closed = once(hub.duplex, "close");
    hub.leave();
    await closed;
    assert.equal(cloud.relay.tunnels.size, 0);
  });

  test("the cloud itself can send requests to the hub", async () => {
    const cloud = await open();
    const asked: unknown[] = [];
    assert.equal(await cloud.relay.announce("hub-1", 7), false);
    await cloud.dial((stream, headers) => {
      asked.push(headers[":path"]);
      stream.respond({ ":status": 200 }, { endStream: true });
    });
    assert.equal(await cloud.relay.announce("hub-1", 7), true);
    assert.equal(await cloud.relay.ping("hub-1"), true);
    assert.deepEqual(asked, ["/.ledge/authorizations", "/.ledge/ping"]);
  });

  test("neither many requests nor many cancelled ones end a tunnel", async () => {
    const cloud = await open({ relayLeaveMs: 20 });
    let closed = 0;
    await cloud.dial((stream, headers) => {
      stream.once("close", () => closed++);
      if (headers[":path"] === "/cc/1.14/slow") return;
      stream.respond({ ":status": 200, "content-length": 2 });
      stream.end("ok");
    });
    const many = 1500;
    for (let turn = 0; turn < many; turn += 50) {
      const answers = Array.from({ length: 50 }, () => cloud.get("/relay/hub"));
      for (const answer of await Promise.all(answers)) assert.equal(await answer.text(), "ok");
    }
    await until(() => closed === many);
    for (let turn = 0; turn < many; turn += 50) {
      const leaving = await Promise.all(
        Array.from({ length: 50 }, () => stall(cloud, "/relay/cc/1.14/slow")),
      );
      await until(() => cloud.relay.underWay("hub-1") === 50);
      for (const socket of leaving) socket.destroy();
      await until(() => cloud.relay.underWay("hub-1") === 0);
    }
    await until(() => closed === 2 * many);
    assert.deepEqual(cloud.told, [["hub-1", true]]);
  });

  for (const [what, first, more] of [
    ["send", "GET", []],
    ["begin to send", "POST", ["Content-Length: 1000"]],
  ] as const)
    test(`clients who ${what} and leave at once neither end a tunnel nor block the owner`, async () => {
      const cloud = await open();
      await cloud.dial((stream) => {
        setTimeout(() => {
          if (!stream.destroyed) stream.respond({ ":status": 200 }, { endStream: true });
        }, 1);
      });
      cloud.accounts.set("guest-token", "guest");
      cloud.granted.set("guest hub-1", 1);
      const key = await cloud.hubKey({ user_id: "guest" });
      const lines = [
        `${first} /relay/hub HTTP/1.1`,
        "Host: cloud",
        "Authorization: guest-token",
        `X-Hub-Key: ${key}`,
        ...more,
      ];
      const pipelined = `${lines.join("\r\n")}\r\n\r\n`.repeat(20);
      const flood = async (): Promise<void> => {
        const socket = connect(cloud.port, "127.0.0.1");
        socket.on("error", () => {});
        socket.write(pipelined);
        await setTimeoutOf(4);
        socket.destroy();
      };
      const statuses = new Set<number>();
      for (let turn = 0; turn < 40; turn++) {
        const floods = Array.from({ length: 20 }, flood);
        statuses.add((await cloud.get("/relay/hub")).status);
        await Promise.all(floods);
      }
      assert.deepEqual([...statuses], [200]);
      assert.deepEqual(cloud.told, [["hub-1", true]], "the tunnel never closed");
    });

  test("limits the requests of one user to a hub, and still serves others", async () => {
    const cloud = await open({ relayRequestsPerMinute: 3 });
    await cloud.dial((stream) => stream.respond({ ":status": 200 }, { endStream: true }));
    cloud.accounts.set("bob-token", "bob");
    cloud.granted.set("bob hub-1", 1);
    const bob = { authorization: "bob-token", "x-hub-key": await cloud.hubKey({ user_id: "bob" }) };
    for (const wanted of [200, 200, 200, 429]) assert.equal((await cloud.get("/relay/hub")).status, wanted);
    assert.ok(Number((await cloud.get("/relay/hub")).headers.get("retry-after")) > 0);
    assert.equal((await cloud.get("/relay/hub", { headers: bob })).status, 200);
  });

  test("limits pending requests to a hub and of a user, and frees their places afterwards", async () => {
    const cloud = await open();
    const streams: ServerHttp2Stream[] = [];
    await cloud.dial((stream) => void streams.push(stream));
    const users = ["ada", "bob", "eve"] as const;
    const headers = new Map<string, { authorization: string; "x-hub-key": string }>();
    for (const user of users) {
      cloud.accounts.set(`${user}-token`, user);
      cloud.granted.set(`${user} hub-1`, 1);
      const key = await cloud.hubKey({ user_id: user });
      headers.set(user, { authorization: `${user}-token`, "x-hub-key": key });
    }
    const ask = (user: string): Promise<Response> =>
      cloud.get("/relay/cc/1.14/slow", { headers: headers.get(user) ?? {} });
    const many = (user: string, count: number): Promise<Response>[] =>
      Array.from({ length: count }, () => ask(user));
    const { tunnelStreamsPerUser: each, tunnelStreams: all } = limits;
    const waiting = many("ada", each);
    await until(() => streams.length === each);
    assert.equal((await ask("ada")).status, 429);
    waiting.push(...many("bob", each), ...many("eve", all - 2 * each));
    await until(() => streams.length === all);
    assert.equal((await ask("eve")).status, 429);
    for (const stream of streams.splice(0)) stream.respond({ ":status": 200 }, { endStream: true });
    for (const response of await Promise.all(waiting)) assert.equal(await response.text(), "");
    await until(() => cloud.relay.underWay("hub-1") === 0);
    assert.equal(cloud.timers.size, 1);
    const next = ask("ada");
    await until(() => streams.length === 1);
    streams[0]?.respond({ ":status": 200 }, { endStream: true });
    assert.equal((await next).status, 200);
  });
});
