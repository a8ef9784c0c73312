import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { connect, type Socket } from "node:net";
import { afterEach, describe, test } from "node:test";
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

const ok = (stream: ServerHttp2Stream): void => {
  stream.respond({ ":status": 200, "content-length": 2 });
  stream.end("ok");
};

describe("the relay with hostile hubs", () => {
  test("answers 502 or 504 when a hub dies or stalls within a short answer, and shows no part of it", async () => {
    const cloud = await open();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const hub = await cloud.dial((stream) => {
      stream.respond({ ":status": 200, "content-length": 10 });
      stream.write("half", () => begin());
    });
    const silent = cloud.get("/relay/hub");
    await begun;
    await hub.read();
    cloud.goOff(limits.relayAnswerMs);
    assert.equal((await silent).status, 504);
    await until(() => cloud.relay.underWay("hub-1") === 0);
    const dying = cloud.get("/relay/hub");
    await until(() => cloud.relay.underWay("hub-1") === 1);
    hub.kill();
    assert.equal((await dying).status, 502);
    assert.equal(cloud.timers.size, 0);
  });

  test("answers and frees its place in time when a hub never ends its stream", async () => {
    const cloud = await open();
    await cloud.dial((stream) => {
      stream.respond({ ":status": 200, "content-length": 2 });
      stream.write("ok");
    });
    assert.equal(await (await cloud.get("/relay/hub")).text(), "ok");
    cloud.goOff(limits.relayAnswerMs);
    await until(() => cloud.relay.underWay("hub-1") === 0);
  });

  for (const length of [3, 5]) {
    test(`rejects an answer of 4 bytes that announces ${length}`, async () => {
      const cloud = await open();
      await cloud.dial((stream) => {
        stream.respond({ ":status": 200, "content-length": length });
        stream.end("four");
      });
      assert.equal((await cloud.get("/relay/hub")).status, 502);
      await until(() => cloud.relay.underWay("hub-1") === 0);
    });
  }

  test("breaks the client's answer off when a hub resets its stream", async () => {
    const cloud = await open();
    await cloud.dial((stream) => {
      stream.respond({ ":status": 200 });
      stream.write("part", () => stream.destroy(new Error("a fault of the hub")));
    });
    await assert.rejects(async () => (await cloud.get("/relay/hub")).text());
  });

  test("keeps only the newest tunnel of a hub that dials again and again", async () => {
    const cloud = await open();
    const dials = 100;
    const held: ServerHttp2Stream[] = [];
    for (let dial = 1; dial <= dials; dial++) {
      await cloud.dial(
        (stream, headers) => {
          if (headers[":path"] === "/cc/1.14/held") return void held.push(stream);
          stream.respond({ ":status": 200 });
          stream.end(String(dial));
        },
        dial % 2 === 0 ? "upgrade" : "websocket",
      );
      assert.equal(await (await cloud.get("/relay/hub")).text(), String(dial));
    }
    assert.equal(cloud.relay.tunnels.size, 1);
    // The ping timer of the tunnel, and nothing of earlier tunnels.
    await until(() => cloud.timers.size === 1 && cloud.relay.tunnels.sessions === 1);
    assert.equal(cloud.relay.underWay("hub-1"), 0);
    assert.equal(cloud.told.length, dials);
  });

  for (const status of [301, 302, 303, 307, 308, 300, 305]) {
    test(`passes no redirect on (${status}): the client would send its cloud token there`, async () => {
      const cloud = await open();
      await cloud.dial((stream) => {
        stream.respond({ ":status": status, location: "/ui/0.2/user", "content-length": 0 });
        stream.end();
      });
      const answer = await cloud.get("/relay/hub", { method: "DELETE", redirect: "manual" });
      assert.deepEqual([answer.status, answer.headers.get("location")], [502, null]);
      assert.match(await answer.text(), /does not pass on this kind of answer/);
    });
  }

  test("overrides a hub's headers that direct browsers at the cloud's address", async () => {
    const cloud = await open();
    const says = {
      "access-control-allow-origin": "https://evil.example",
      "access-control-allow-credentials": "true",
      "clear-site-data": '"*"',
      "content-security-policy": "script-src *",
      "content-type": "text/html",
      link: "</evil.js>; rel=preload",
      refresh: "0; url=/ui/0.2/user",
      "service-worker-allowed": "/",
      "www-authenticate": "Basic",
      "x-frame-options": "ALLOWALL",
    };
    await cloud.dial((stream) => {
      stream.respond({ ":status": 200, ...says });
      stream.end("<script>alert(1)</script>");
    });
    const { headers } = await cloud.get("/relay/hub");
    assert.match(headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/);
    assert.deepEqual(
      ["access-control-allow-origin", "x-frame-options", "x-content-type-options"].map((name) =>
        headers.get(name),
      ),
      ["*", "DENY", "nosniff"],
    );
    for (const name of ["access-control-allow-credentials", "clear-site-data", "link", "refresh"])
      assert.equal(headers.get(name), null, name);
    for (const name of ["service-worker-allowed", "www-authenticate"])
      assert.equal(headers.get(name), null, name);
  });

  test("ends the tunnel of a hub that sends endless informational answers", async () => {
    const cloud = await open();
    let sent = 0;
    await cloud.dial((stream) => {
      const send = (): void => {
        if (stream.destroyed) return;
        stream.additionalHeaders({ ":status": 103, link: "</a>" });
        sent++;
        setImmediate(send);
      };
      send();
    });
    assert.equal((await cloud.get("/relay/hub")).status, 502);
    await until(() => cloud.relay.tunnels.sessions === 0);
    assert.ok(sent < 1000, `the cloud took ${sent}`);
  });

  test("drops a hub's cookies and its promises about transport security", async () => {
    const cloud = await open();
    await cloud.dial((stream) => {
      stream.respond({
        ":status": 200,
        "set-cookie": ["a=1", "b=2"],
        "strict-transport-security": "max-age=1",
        "ledge-recorded": "false",
      });
      stream.end();
    });
    const { headers } = await cloud.get("/relay/hub");
    assert.equal(headers.get("ledge-recorded"), "false");
    assert.equal(headers.get("set-cookie"), null);
    assert.equal(headers.get("strict-transport-security"), null);
  });
});

describe("the relay with hostile clients", () => {
  /** Sends raw lines. */
  async function raw(cloud: TestRelay, ...lines: readonly string[]): Promise<Socket> {
    const socket = connect(cloud.port, "127.0.0.1");
    socket.on("error", () => {});
    const key = await cloud.hubKey();
    const [first, ...rest] = lines;
    const head = [first, "Host: cloud", "Authorization: cloud-token", `X-Hub-Key: ${key}`, ...rest];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    return socket;
  }

  async function answerTo(cloud: TestRelay, ...lines: readonly string[]): Promise<string> {
    const socket = await raw(cloud, ...lines, "Connection: close");
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    return text;
  }

  test("a path in any spelling reaches only the hub's API", async () => {
    const cloud = await open();
    const heard: (string | undefined)[] = [];
    await cloud.dial((stream, headers) => {
      heard.push(headers[":path"]);
      ok(stream);
    });
    for (const [path, there] of [
      ["http://elsewhere/relay/hub", "/hub"],
      ["/relay/cc/1.14/a/../rooms", "/cc/1.14/rooms"],
      ["/relay/cc/1.14/%2e%2e/1.14/rooms", "/cc/1.14/rooms"],
      ["/relay/cc/1.14/..%2f..%2f.ledge/ping", "/cc/1.14/..%2f..%2f.ledge/ping"],
      ["/relay/cc//1.14/rooms?a=/../b", "/cc//1.14/rooms?a=/../b"],
      ["/relay/cc/../hub", "/hub"],
      ["/relay/cc/1.14/a%0d%0ab", "/cc/1.14/a%0d%0ab"],
    ] as const) {
      assert.match(await answerTo(cloud, `GET ${path} HTTP/1.1`), /^HTTP\/1.1 200 /, path);
      assert.equal(heard.pop(), there);
    }
    for (const path of [
      "/relay/cc/../.ledge/ping",
      "/relay/cc/%2e%2e/.ledge/ping",
      "/relay/cc/..\\.ledge\\ping",
      "/relay/.ledge/ping",
      "/relay//hub",
      "/relay/cc/1.14/../../../user/hubkeys",
      "//relay/hub",
      "*",
    ])
      assert.match(await answerTo(cloud, `GET ${path} HTTP/1.1`), /^HTTP\/1.1 404 /, path);
    assert.deepEqual(heard, []);
  });

  test("passes a client's headers on, except forged forwarding headers and those of a connection", async () => {
    const cloud = await open();
    const heard: IncomingHttpHeaders[] = [];
    await cloud.dial((stream, headers) => {
      heard.push(headers);
      ok(stream);
    });
    const lines = [
      "GET /relay/hub HTTP/1.1",
      "X-Forwarded-For: 203.0.113.9",
      "x-forwarded-for: 203.0.113.10",
      "Forwarded: for=203.0.113.9",
      "X-Hub-Key: another",
      "Trailer: x-hub-key",
      "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
      "Proxy-Authorization: Basic YTpi",
    ];
    assert.match(await answerTo(cloud, ...lines), /^HTTP\/1.1 401 /, "two keys count as no key");
    assert.match(
      await answerTo(cloud, ...lines.filter((line) => !line.startsWith("X-Hub-Key"))),
      /^HTTP\/1.1 200 /,
    );
    const [headers = {}] = heard.splice(0);
    const names = Object.keys(headers).filter((name) => !name.startsWith(":"));
    assert.deepEqual(names.toSorted(), ["x-forwarded-for", "x-hub-key"]);
    assert.equal(headers["x-forwarded-for"], "192.0.2.7");
    const named = await answerTo(cloud, "GET /relay/hub HTTP/1.1", "Connection: X-Forwarded-For");
    assert.match(named, /^HTTP\/1.1 200 /);
    assert.equal(heard.pop()?.["x-forwarded-for"], "192.0.2.7");
    for (const line of [
      ":path: /.ledge/ping",
      ":authority: x",
      "X-A : b",
      "Content-Length: 1\r\nContent-Length: 2",
    ])
      assert.match(await answerTo(cloud, "GET /relay/hub HTTP/1.1", line), /^HTTP\/1.1 400 /, line);
    const both = ["POST /relay/hub HTTP/1.1", "Content-Length: 5", "Transfer-Encoding: chunked"];
    assert.match(await answerTo(cloud, ...both), /^HTTP\/1.1 400 /);
    assert.deepEqual(heard, []);
  });

  for (const length of ["Content-Length: 100000", "Transfer-Encoding: chunked"]) {
    test(`cancels a request whose client leaves while it sends (${length}), and frees its place`, async () => {
      const cloud = await open();
      const codes: (number | undefined)[] = [];
      const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
      await cloud.dial((stream) => {
        stream.once("data", () => hear());
        stream.once("aborted", () => codes.push(stream.rstCode));
      });
      const socket = await raw(cloud, "POST /relay/cc/1.14/x HTTP/1.1", length);
      socket.write("4\r\nsome\r\n");
      await heard;
      socket.destroy();
      await until(() => codes.length === 1);
      assert.deepEqual(codes, [constants.NGHTTP2_CANCEL]);
      await until(() => cloud.relay.underWay("hub-1") === 0 && cloud.timers.size === 1);
    });
  }

  test("frees the place of a client that leaves before the hub is asked", async () => {
    const cloud = await open();
    let asked = 0;
    await cloud.dial(() => asked++);
    const accountOf = cloud.accounts.get.bind(cloud.accounts);
    const leaving: Socket[] = [];
    cloud.accounts.get = (token) => {
      for (const socket of leaving) socket.destroy();
      return accountOf(token);
    };
    leaving.push(await raw(cloud, "GET /relay/hub HTTP/1.1"));
    await until(() => leaving.every(({ closed }) => closed));
    cloud.accounts.get = accountOf;
    await until(() => cloud.connections === 1);
    assert.ok(asked <= 1);
    await until(() => cloud.relay.underWay("hub-1") === 0);
  });

  test("a client that sends on after its answer reads the answer, then loses its connection", async () => {
    const cloud = await open();
    await cloud.dial((stream) => {
      stream.respond({ ":status": 413, "content-length": 3 });
      stream.end("too");
    });
    const socket = await raw(cloud, "POST /relay/cc/1.14/x HTTP/1.1", "Content-Length: 100000");
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, "close");
    assert.match(text, /^HTTP\/1.1 413 [^]*too$/);
  });
});
