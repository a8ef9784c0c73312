// Server-Sent Events and long polling, request by request.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SimulatedClock, until } from "@ledge/testkit";
import { openTestHub } from "../test-hub.ts";
import { negotiated } from "../test-raw.ts";

const handshake = '{"protocol":"json","version":1}\x1e';

const post = (address: string, body: string): Promise<Response> => fetch(address, { method: "POST", body });

/** Polls until the handshake is done. */
async function poller(url: string): Promise<string> {
  const address = await negotiated(url);
  assert.equal(await (await fetch(address)).text(), "");
  const poll = fetch(address);
  assert.equal((await post(address, handshake)).status, 200);
  assert.equal(await (await poll).text(), "{}\x1e");
  return address;
}

describe("long polling", () => {
  test("answers the first poll at once with nothing, and a later one after 50 seconds", async () => {
    const clock = new SimulatedClock();
    await using world = await openTestHub({ clock });
    const address = await poller(world.url);
    const timers = clock.waiting;
    const poll = fetch(address);
    await until("the poll is held", () => clock.waiting >= timers);
    await until("the poll is answered", () => {
      clock.advance(1000);
      return clock.monotonic() >= 60_000;
    });
    const answer = await poll;
    assert.equal(answer.status, 200);
    assert.equal(await answer.text(), "");
  });

  test("answers a held poll with what is sent, and keeps what is sent between polls", async () => {
    await using world = await openTestHub();
    const address = await poller(world.url);
    world.connection.send("one");
    world.connection.send("two");
    assert.equal(
      await (await fetch(address)).text(),
      '{"type":1,"target":"one","arguments":[]}\x1e{"type":1,"target":"two","arguments":[]}\x1e',
    );
    const held = fetch(address);
    world.connection.send("three");
    assert.match(await (await held).text(), /three/);
  });

  test("ends an older poll with 204 when a newer one comes", async () => {
    await using world = await openTestHub();
    const address = await poller(world.url);
    const polls = [fetch(address), fetch(address)];
    const first = await Promise.race(polls);
    assert.equal(first.status, 204);
    world.connection.send("news");
    const texts = await Promise.all(polls.map(async (poll) => (await (await poll).clone().text()).length));
    assert.deepEqual(
      texts.toSorted((a, b) => a - b),
      [0, 42],
    );
  });

  test("tells a client that its connection was closed, then that it is over", async () => {
    await using world = await openTestHub();
    const address = await poller(world.url);
    world.connection.close({ error: "why" });
    assert.equal(await (await fetch(address)).text(), '{"type":7,"error":"why"}\x1e');
    assert.equal((await fetch(address)).status, 204);
    assert.equal((await fetch(address)).status, 404);
    assert.equal(world.hub.connections.size, 0);
  });

  test("ends by DELETE with 202, and its held poll with 204", async () => {
    await using world = await openTestHub();
    const address = await poller(world.url);
    const held = fetch(address);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await fetch(address, { method: "DELETE" })).status, 202);
    assert.ok([204, 404].includes((await held).status));
    assert.equal((await post(address, '{"type":6}\x1e')).status, 404);
    assert.equal((await fetch(address, { method: "DELETE" })).status, 404);
  });

  test("takes no handshake that comes after its 15 seconds", async () => {
    const clock = new SimulatedClock();
    const connected: string[] = [];
    await using world = await openTestHub({ clock, onConnected: ({ id }) => void connected.push(id) });
    const address = await negotiated(world.url);
    assert.equal(await (await fetch(address)).text(), "");
    clock.advance(16_000);
    assert.equal((await post(address, handshake)).status, 200);
    const answer = await (await fetch(address)).text();
    assert.equal(answer, '{"error":"The handshake took too long."}\x1e');
    assert.deepEqual(connected, []);
    assert.equal((await fetch(address)).status, 204);
  });

  test("ends when the client polls no more for 30 seconds", async () => {
    const clock = new SimulatedClock();
    await using world = await openTestHub({ clock });
    await poller(world.url);
    clock.advance(29_000);
    assert.equal(world.hub.connections.size, 1);
    clock.advance(2000);
    assert.equal(world.hub.connections.size, 0);
  });
});

describe("Server-Sent Events", () => {
  const open = (address: string): Promise<Response> =>
    fetch(address, { headers: { accept: "text/event-stream" } });

  test("send headers and a comment before there is an event, then one event for each write", async () => {
    await using world = await openTestHub();
    const address = await negotiated(world.url);
    const answer = await open(address);
    assert.equal(answer.headers.get("content-type"), "text/event-stream");
    assert.match(answer.headers.get("cache-control") ?? "", /no-cache/);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const next = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString();
    assert.equal(await next(), ":\r\n\r\n");
    await post(address, handshake);
    assert.equal(await next(), "data: {}\x1e\r\n\r\n");
    world.connection.send("news", "two\nlines");
    assert.equal(await next(), 'data: {"type":1,"target":"news","arguments":["two\\nlines"]}\x1e\r\n\r\n');
    await reader.cancel();
    await until(() => world.hub.connections.size === 0);
  });

  test("refuse MessagePack, as they carry text only", async () => {
    await using world = await openTestHub();
    const address = await negotiated(world.url);
    const answer = await open(address);
    await post(address, '{"protocol":"messagepack","version":1}\x1e');
    assert.match(await answer.text(), /carries text only/);
  });
});

describe("requests", () => {
  test("without an id get 400, with an unknown one 404, for another transport 409 or 404", async () => {
    await using world = await openTestHub();
    const address = await poller(world.url);
    for (const method of ["GET", "POST", "DELETE"]) {
      assert.equal((await fetch(world.url, { method })).status, 400, method);
      assert.equal((await fetch(`${world.url}?id=x.y.z`, { method })).status, 404, method);
    }
    assert.equal((await fetch(address, { headers: { accept: "text/event-stream" } })).status, 409);
    assert.equal((await fetch(address, { method: "PUT" })).status, 405);
    assert.equal((await fetch(`${world.url}/other`)).status, 404);
  });

  test("with more than may be posted at once get 413, and the connection stays", async () => {
    await using world = await openTestHub({ maxChunkBytes: 1000 });
    const address = await poller(world.url);
    assert.equal((await post(address, " ".repeat(1001))).status, 413);
    assert.equal(world.hub.connections.size, 1);
  });

  test("of pages of other origins are let in as allowOrigin says, with credentials", async () => {
    await using world = await openTestHub({ allowOrigin: (origin) => origin === "https://good.example" });
    const from = (origin: string, method = "POST"): Promise<Response> =>
      fetch(`${world.url}/negotiate`, { method, headers: { origin } });
    const good = await from("https://good.example");
    assert.equal(good.status, 200);
    const allowed = (response: Response, name: string): string | null =>
      response.headers.get(`access-control-allow-${name}`);
    assert.equal(allowed(good, "origin"), "https://good.example");
    assert.equal(allowed(good, "credentials"), "true");
    assert.equal(good.headers.get("vary"), "Origin");
    const asked = await from("https://good.example", "OPTIONS");
    assert.equal(asked.status, 204);
    for (const name of ["x-requested-with", "x-signalr-user-agent", "authorization"]) {
      assert.ok(allowed(asked, "headers")?.includes(name), name);
    }
    const bad = await from("https://bad.example");
    assert.equal(bad.status, 403);
    assert.equal(allowed(bad, "origin"), null);
    assert.equal((await from(new URL(world.url).origin)).status, 200, "its own pages");
  });
});
