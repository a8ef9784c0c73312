import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { systemClock } from "@ledge/port";
import { db } from "@zwave-js/core/bindings/db/jsonl";
import { serial } from "@zwave-js/serial/bindings/node";
import { Bindings } from "./bindings.ts";

const server = createServer((socket) => void sockets.push(socket.resume()));
const sockets: Socket[] = [];
let path: string;
let folder: string;
let bindings: Bindings;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "ledge-zwave-"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  path = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  sockets.length = 0;
  bindings = new Bindings(serial, db, systemClock);
});
after(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** Returns what opens the port, as a driver gets it. */
async function opener({ host }: Bindings): Promise<() => Promise<unknown>> {
  return (await host.serial?.createFactoryByPath?.(path)) ?? assert.fail();
}

/** The only connection that was made. */
function onlySocket(): Socket {
  const [socket, ...more] = sockets;
  assert.deepEqual(more, []);
  return socket ?? assert.fail("there is no connection");
}

test("a port whose driver ends is closed, and opens no more", async () => {
  const accepted = once(server, "connection");
  const open = await opener(bindings);
  await open();
  await accepted;
  const closed = once(onlySocket(), "close");
  await bindings.end();
  await closed;
  await assert.rejects(open(), /has ended/);
  onlySocket();
});

test("a port whose driver ends while it is opened is closed as soon as it is open", async () => {
  const accepted = once(server, "connection");
  const open = await opener(bindings);
  const opening = assert.rejects(open(), /has ended/);
  await bindings.end();
  await Promise.all([opening, accepted]);
  if (!onlySocket().closed) await once(onlySocket(), "close");
});

test("the files of a driver that ends are free for the next, and it opens no more", async () => {
  const file = join(folder, "cache.jsonl");
  await bindings.host.db?.createInstance(file).open();
  const next = new Bindings(serial, db, systemClock);
  await assert.rejects(next.host.db?.createInstance(file).open() ?? assert.fail(), /lock/);
  await bindings.end();
  await next.host.db?.createInstance(file).open();
  assert.throws(() => bindings.host.db?.createInstance(file), /has ended/);
  await next.end();
});

test("a driver that has opened nothing ends", async () => {
  await bindings.end();
  const open = await opener(bindings);
  await assert.rejects(open(), /has ended/);
  assert.deepEqual(sockets, []);
});
