import assert from "node:assert/strict";
import { once } from "node:events";
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type Server,
} from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { serve } from "@hono/node-server";
import { systemClock } from "@ledge/kernel";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { collectGarbage, until } from "@ledge/testkit";
import { openTestHub, type TestHub } from "./test-hub.ts";

/** What only shows over a real socket: framing, limits on the way, clients that leave. */
describe("over node:http", () => {
  let hub: TestHub;
  let server: Server;
  let port: number;
  let owner: string;

  before(async () => {
    hub = await openTestHub(memoryLog(), systemClock);
    owner = await hub.sign();
    server = serve({ fetch: hub.api("local").app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
    // On a busy machine, a connection is idle for long between two requests of a test.
    server.keepAliveTimeout = 0;
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  });

  after(async () => {
    hub.ports.streams.close();
    server.closeAllConnections();
    server.close();
    await hub.kernel.close();
  });

  /** Sends bytes as they are and reads until the other side closes or has answered with a whole body. */
  const exchange = async (
    ...parts: readonly (string | Buffer)[]
  ): Promise<{ status: number; text: string }> => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    for (const part of parts) socket.write(part);
    const text = await answerOf(socket);
    socket.destroy();
    return { status: Number(text.slice(9, 12)), text };
  };
  const head = (method: string, path: string, ...headers: readonly string[]): string =>
    [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: ${owner}`,
      "Connection: close",
      ...headers,
      "",
      "",
    ].join("\r\n");
  const chunk = (bytes: string | Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`),
      Buffer.from(bytes),
      Buffer.from("\r\n"),
    ]);

  const rooms = '[{"name":"Hall"}]';

  for (const contentType of [
    undefined,
    "application/json",
    "application/json; charset=utf-8",
    "text/plain",
    "application/octet-stream",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "nonsense",
  ]) {
    test(`reads a JSON body with content type ${contentType ?? "left out"}`, async () => {
      const headers = contentType === undefined ? [] : [`Content-Type: ${contentType}`];
      const { status, text } = await exchange(
        head("PUT", "/cc/1.14/rooms", `Content-Length: ${rooms.length}`, ...headers),
        rooms,
      );
      assert.equal(status, 200, text);
      assert.ok(text.endsWith("[true]"));
    });
  }

  test("never answers an empty body with 415, whatever its type", async () => {
    for (const type of ["application/octet-stream", "application/x-www-form-urlencoded"]) {
      const { status } = await exchange(
        head("PUT", "/cc/1.14/rooms", "Content-Length: 0", `Content-Type: ${type}`),
      );
      assert.equal(status, 422);
      const query = await exchange(
        head("PUT", "/cc/1.14/hub/tz?timezone=UTC", "Content-Length: 0", `Content-Type: ${type}`),
      );
      assert.equal(query.status, 200);
    }
  });

  for (const accept of [
    "*/*",
    "text/plain",
    "application/json, application/binary, text/plain, */*",
    "image/png",
  ]) {
    test(`answers Accept: ${accept} with JSON instead of 406`, async () => {
      const { status, text } = await exchange(head("GET", "/cc/1.14/hub/tz", `Accept: ${accept}`));
      assert.equal(status, 200);
      assert.match(text, /content-type: application\/json\r\n/i);
    });
  }

  test("answers HEAD with GET's headers and no body", async () => {
    const { status, text } = await exchange(head("HEAD", "/cc/1.14/hub/tz"));
    assert.equal(status, 200);
    assert.match(text, /content-type: application\/json/i);
    assert.ok(text.endsWith("\r\n\r\n"));
  });

  test("reads a body of DELETE if the row has one, and ignores a body of GET", async () => {
    const body = '{"nonsense":1}';
    const get = await exchange(
      head("GET", "/cc/1.14/hub/tz", `Content-Length: ${body.length}`, "Content-Type: application/json"),
      body,
    );
    assert.equal(get.status, 200);
    const device = await hub.addDevice();
    const list = JSON.stringify([device]);
    const remove = await exchange(head("DELETE", "/cc/1.14/devices", `Content-Length: ${list.length}`), list);
    assert.equal(remove.status, 200, remove.text);
    assert.equal(hub.kernel.get("device", device), undefined);
  });

  test("joins a chunked body, even if a chunk splits a character", async () => {
    const [first, second] = [Buffer.from('[{"name":"K'), Buffer.from('"}]')];
    const letter = Buffer.from("å");
    const parts = [first, letter.subarray(0, 1), Buffer.concat([letter.subarray(1), second])];
    const sent = Buffer.concat([...parts.map((part) => chunk(part)), Buffer.from("0\r\n\r\n")]);
    const { status, text } = await exchange(
      head("PUT", "/cc/1.14/rooms", "Transfer-Encoding: chunked"),
      sent,
    );
    assert.equal(status, 200, text);
    assert.ok([...hub.kernel.all("room")].some(([, { name }]) => name === "Kå"));
  });

  test("answers 413 to a chunked body over the limit before it ends", async () => {
    const piece = chunk(Buffer.alloc(limits.bodyBytes / 4, 0x20));
    const parts = Array.from({ length: 5 }, () => piece);
    const { status, text } = await exchange(
      head("PUT", "/cc/1.14/rooms", "Transfer-Encoding: chunked"),
      ...parts,
    );
    assert.equal(status, 413, text.slice(0, 200));
    assert.match(text, /"message":/);
  });

  test("serves the next request on the connection after a body over the limit", async () => {
    const piece = chunk(Buffer.alloc(limits.bodyBytes / 4, 0x20));
    const parts = [...Array.from({ length: 5 }, () => piece), Buffer.from("0\r\n\r\n")];
    const first = head("PUT", "/cc/1.14/rooms", "Transfer-Encoding: chunked").replace(
      "Connection: close\r\n",
      "",
    );
    const { text } = await exchange(first, ...parts, head("GET", "/cc/1.14/hub/tz"));
    assert.match(text, /^HTTP\/1\.1 413 [^]*HTTP\/1\.1 200 /);
  });

  test("refuses a body by its announced length, and reads one at the limit", async () => {
    const announced = await exchange(
      head("PUT", "/cc/1.14/rooms", `Content-Length: ${limits.bodyBytes + 1}`),
    );
    assert.equal(announced.status, 413);
    const padded = rooms.padEnd(limits.bodyBytes, " ");
    const full = await exchange(head("PUT", "/cc/1.14/rooms", `Content-Length: ${padded.length}`), padded);
    assert.equal(full.status, 200);
  });

  test("answers invalid UTF-8 with 422", async () => {
    const body = Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]);
    const { status } = await exchange(head("PUT", "/cc/1.14/rooms", `Content-Length: ${body.length}`), body);
    assert.equal(status, 422);
  });

  test("logs nothing and goes on serving when clients disconnect within a body", async () => {
    const logged = hub.logged.length;
    for (let i = 0; i < 10; i++) {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      socket.write(head("PUT", "/cc/1.14/rooms", "Content-Length: 1000"));
      socket.write('[{"name":');
      socket.resetAndDestroy();
      await once(socket, "close");
    }
    const { status } = await exchange(head("GET", "/cc/1.14/hub/tz"));
    assert.equal(status, 200);
    assert.equal(hub.logged.length, logged);
  });

  test("answers both of two requests in one packet, and skips the first one's unread body", async () => {
    const keep = (text: string): string => text.replace("Connection: close\r\n", "");
    const first = keep(head("DELETE", "/cc/1.14/rooms?roomId=x", "Content-Length: 5")) + "12345";
    const { text } = await exchange(first + head("GET", "/cc/1.14/hub/tz"));
    assert.match(text, /^HTTP\/1\.1 404 [^]*HTTP\/1\.1 200 /);
  });

  describe("to a client that accepts gzip", () => {
    const asked = async (
      path: string,
      acceptEncoding?: string,
    ): Promise<[headers: IncomingHttpHeaders, body: Buffer]> => {
      const headers = { authorization: owner, ...(acceptEncoding && { "accept-encoding": acceptEncoding }) };
      const incoming = await new Promise<IncomingMessage>((resolve) => {
        httpRequest({ port, path: `/cc/1.14${path}`, headers }, resolve).end();
      });
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer);
      return [incoming.headers, Buffer.concat(parts)];
    };

    for (const accepted of ["gzip", "gzip, deflate, br, zstd", "deflate, GZIP;q=0.5"]) {
      test(`sends long JSON packed: ${accepted}`, async () => {
        for (const path of ["/hub/timezones", "/hub/poll?ts=0"]) {
          const [plainHeaders, plain] = await asked(path);
          const [headers, body] = await asked(path, accepted);
          assert.equal(plainHeaders["content-encoding"], undefined);
          if (plain.length <= limits.plainAnswerBytes) continue;
          assert.deepEqual([headers["content-encoding"], headers.vary], ["gzip", "accept-encoding"]);
          assert.equal(Number(headers["content-length"]), body.length);
          assert.ok(body.length < plain.length / 2);
          assert.deepEqual(gunzipSync(body), plain);
        }
      });
    }

    for (const accepted of ["gzip;q=0", "br", "identity", "", "gzipped", ";;,,q=1"]) {
      test(`sends it as it is without gzip: "${accepted}"`, async () => {
        const [headers, body] = await asked("/hub/timezones", accepted);
        assert.equal(headers["content-encoding"], undefined);
        assert.ok(body.length > limits.plainAnswerBytes);
      });
    }

    test("sends short JSON and refusals as they are", async () => {
      for (const path of ["/hub/tz", "/nowhere", `/hub/poll?ts=${hub.kernel.timestamp}`])
        assert.equal((await asked(path, "gzip"))[0]["content-encoding"], undefined, path);
    });

    test("packs the answer of a poll that waited", async () => {
      const answer = asked(`/hub/poll?ts=${hub.kernel.timestamp}&wait=25000`, "gzip");
      await until(() => hub.ports.pollWaits.size === 1);
      await hub.run(...Array.from({ length: 60 }, (_, n) => ({ type: "CMD_ROOM", name: `Room ${n}` })));
      const [headers, body] = await answer;
      assert.equal(headers["content-encoding"], "gzip");
      assert.match(gunzipSync(body).toString(), /"Room 59"/);
    });
  });

  test("frees the stream of an event reader that disconnects", async () => {
    const response = await new Promise<import("node:http").IncomingMessage>((resolve) => {
      httpRequest({ port, path: "/cc/1.14/events", headers: { authorization: owner } }, resolve).end();
    });
    assert.equal(response.headers["content-type"], "text/event-stream");
    await once(response, "data");
    assert.equal(hub.ports.streams.size, 1);
    response.destroy();
    while (hub.ports.streams.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  const poll = (key: string, query: string): string =>
    `GET /cc/1.14/hub/poll?${query} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${key}\r\n\r\n`;

  /** Polls on a connection that stays open, without waiting. */
  const polled = async (key: string): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(poll(key, `ts=${hub.kernel.timestamp}`));
    await once(socket, "data");
    return socket;
  };

  test("frees the place of a waiting poll whose client disconnects", async () => {
    const socket = await polled(owner);
    socket.write(poll(owner, `ts=${hub.kernel.timestamp}&wait=25000`));
    await until(() => hub.ports.pollWaits.size === 1);
    socket.destroy();
    await until(() => hub.ports.pollWaits.size === 0);
  });

  test("counts a poll that waited once it ends: with its answer's status, or 499 if its client has gone", async () => {
    const figures = hub.figures.of("GET /hub/poll");
    const held = `ts=${hub.kernel.timestamp}&wait=25000`;
    const [staying, leaving] = [await polled(owner), await polled(owner)];
    const [count, sumS, ok = 0] = [figures.count, figures.sumS, figures.counts.get(200)];
    const gone = figures.counts.get(499) ?? 0;
    for (const socket of [staying, leaving]) socket.write(poll(owner, held));
    await until(() => hub.ports.pollWaits.size === 2);
    assert.equal(figures.count, count);
    leaving.destroy();
    await until(() => figures.counts.get(499) === gone + 1);
    assert.equal(hub.ports.pollWaits.size, 1);
    await hub.run({ type: "CMD_ROOM", name: "Counted" });
    await once(staying, "data");
    assert.deepEqual([figures.count, figures.counts.get(200)], [count + 2, ok + 1]);
    // The answer waits for what changes within that time.
    assert.ok(figures.sumS - sumS >= limits.pollFirstCompanyMs / 1000, `${figures.sumS - sumS} s`);
    staying.destroy();
  });

  test("needs less than 1 MB of heap for 256 waiting polls, requests and all", async () => {
    const { pollWaits } = hub.ports;
    const keys = await Promise.all(
      Array.from({ length: 4 }, (_, user) => hub.sign({ user_id: `guest-${user}`, role: roles.GUEST })),
    );
    const keyAt = (place: number): string => keys[place % keys.length] as string;
    const sockets: Socket[] = [];
    for (let place = 0; place < limits.pollWaiters; place++) sockets.push(await polled(keyAt(place)));
    const allWait = async (): Promise<void> => {
      for (const [place, socket] of sockets.entries())
        socket.write(poll(keyAt(place), `ts=${hub.kernel.timestamp}&wait=25000`));
      await until(() => pollWaits.size === limits.pollWaiters);
    };
    const rounds: number[] = [];
    // The first rounds compile code.
    for (let round = 0; round < 4; round++) {
      const idle = await heapUsed();
      await allWait();
      rounds.push((await heapUsed()) - idle);
      await hub.run({ type: "CMD_ROOM", name: `Room ${round}` });
      await until(() => pollWaits.size === 0);
    }
    for (const socket of sockets) socket.destroy();
    const bytes = Math.min(...rounds);
    assert.ok(bytes < 1_048_576, `${bytes} bytes`);
  });

  test("cuts an event reader that stops reading, so that the buffer stays bounded", async () => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(head("GET", "/cc/1.14/events"));
    await once(socket, "data");
    socket.pause();
    const name = "x".repeat(120);
    let written = 0;
    while (hub.ports.streams.size > 0) {
      assert.ok((written += 200) < 200_000, "is never cut");
      await hub.run(
        { type: "CMD_GROUP", name: "big", members: [] },
        ...Array.from({ length: 9 }, () => ({
          type: "RENAME_HUB",
          id: hub.hubId,
          name: `${name}${written}`,
        })),
      );
    }
    socket.resume();
    const text = await answerOf(socket);
    assert.match(text, /event: cut\ndata: \{"after":"\d+-\d+","reason":"slow"\}/);
  });
});

/** What the heap holds (bytes) once all that nothing refers to is gone. */
async function heapUsed(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

/** Everything until the server closes its side. */
async function answerOf(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on("data", (part: Buffer) => parts.push(part));
  socket.on("error", () => {});
  if (!socket.closed && !socket.readableEnded)
    await Promise.race([once(socket, "end"), once(socket, "close")]);
  return Buffer.concat(parts).toString();
}
