import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { getRequestListener } from "@hono/node-server";
import { systemClock } from "@ledge/kernel";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { openTestHub, type TestHub } from "./test-hub.ts";

/** In the tunnel all users come on one connection, and requests are those of node:http2. */
describe("over node:http2, at the remote listener", () => {
  let hub: TestHub;
  let server: Http2Server;
  let session: ClientHttp2Session;
  let owner: string;

  before(async () => {
    hub = await openTestHub(memoryLog(), systemClock);
    owner = await hub.sign();
    const listener = getRequestListener(hub.api("remote").app.fetch);
    server = createServer((request, response) => void listener(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });

  after(async () => {
    hub.ports.streams.close();
    session.destroy();
    server.close();
    await hub.kernel.close();
  });

  const send = async (
    method: string,
    path: string,
    key?: string,
    body?: string | Buffer,
  ): Promise<{ status: number; json: unknown }> => {
    const headers = { ":method": method, ":path": path, ...(key !== undefined && { "x-hub-key": key }) };
    const stream = session.request(headers, { endStream: body === undefined });
    stream.on("error", () => {});
    if (body !== undefined) stream.end(body);
    const [answer] = (await once(stream, "response")) as [{ ":status": number }];
    let text = "";
    for await (const chunk of stream) text += String(chunk);
    return { status: answer[":status"], json: JSON.parse(text) };
  };

  test("refuses a body that is cut off, even if the part that arrived is valid JSON", async () => {
    const cut = new AbortController();
    const head = { ":method": "PUT", ":path": "/cc/1.14/rooms", "x-hub-key": owner };
    const stream = session.request(head, { signal: cut.signal });
    stream.on("error", () => {});
    stream.write(JSON.stringify([{ type: "CMD_ROOM", name: "Cut" }]));
    await send("GET", "/hub");
    cut.abort();
    const put = (): unknown => hub.remoteCalls.find(([, row]) => row === "PUT /rooms");
    while (put() === undefined) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(put(), ["owner", "PUT /rooms", 422]);
    assert.doesNotMatch(JSON.stringify((await send("GET", "/cc/1.14/rooms", owner)).json), /Cut/);
    hub.remoteCalls.splice(0);
  });

  test("reads bodies and writes answers", async () => {
    assert.equal((await send("GET", "/hub")).status, 200);
    const room = JSON.stringify([{ type: "CMD_ROOM", name: "Attic" }]);
    assert.equal((await send("PUT", "/cc/1.14/rooms", owner, room)).status, 200);
    const { status, json } = await send("GET", "/cc/1.14/rooms", owner);
    assert.equal(status, 200);
    assert.match(JSON.stringify(json), /Attic/);
  });

  test("judges each request of a connection by its own key", async () => {
    const guest = (await hub.user(roles.GUEST)).key;
    const remoteGuest = (await hub.user(roles.REMOTE_GUEST)).key;
    const status = async (key?: string): Promise<number> =>
      (await send("GET", "/cc/1.14/hub/poll?ts=0", key)).status;
    for (let round = 0; round < 3; round++) {
      assert.equal(await status(owner), 200);
      assert.equal(await status(guest), 403);
      assert.equal(await status(), 401);
      assert.equal(await status(remoteGuest), 200);
      assert.equal(await status(`${owner}x`), 401);
    }
  });

  test("refuses a body over the limit and keeps the connection", async () => {
    const large = Buffer.alloc(limits.bodyBytes + 1, " ");
    for (let round = 0; round < 20; round++)
      assert.equal((await send("PUT", "/cc/1.14/rooms", owner, large)).status, 413);
    assert.equal((await send("GET", "/cc/1.14/rooms", owner)).status, 200);
  });
});
