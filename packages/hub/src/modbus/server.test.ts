import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { refusalOf, valuesOf } from "./answers.ts";
import { type Asked, takeRequests, toAnswer } from "./frames.ts";
import { readRequest } from "./requests.ts";
import { ModbusTcpServer } from "./server.ts";

const clients = 5;
const unreadBytes = 4096;
let server: ModbusTcpServer;
const asked: [client: string, unit: number][] = [];
/** Answers wait for it. */
let gate: Promise<void> = Promise.resolve();

before(async () => {
  server = new ModbusTcpServer({
    host: "127.0.0.1",
    port: 0,
    allow: ["127.0.0.1", "127.0.1.0/24"],
    clients,
    idleMs: 60_000,
    unreadBytes,
    answer: async (client, { unit, pdu }) => {
      asked.push([client, unit]);
      await gate;
      const question = readRequest(pdu);
      if (typeof question === "number") return refusalOf(pdu, question);
      if (question.kind !== "read") return refusalOf(pdu, 1);
      return valuesOf(
        question.code,
        Array.from({ length: question.count }, (_, index) => question.register + index),
      );
    },
  });
  await server.listen();
});
after(() => server.close());

async function open(localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: server.port, localAddress });
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

const readAt = (register: number, transaction = register, unit = 1): Buffer =>
  toAnswer({ transaction, unit }, Buffer.of(3, register >> 8, register & 0xff, 0, 1));

/** Resolves with so many answers of a socket. */
async function answers(socket: Socket, count: number): Promise<readonly Asked[]> {
  const all: Asked[] = [];
  let received: Buffer = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const { requests, rest } = takeRequests(Buffer.concat([received, chunk]));
    all.push(...requests);
    received = rest ?? assert.fail("no Modbus");
    if (all.length >= count) break;
  }
  return all;
}

/** Resolves when the server has closed the connection. */
const closed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : once(socket.resume(), "close");

async function connected(wanted: number): Promise<void> {
  while (server.figures.clients !== wanted) await new Promise((resolve) => setImmediate(resolve));
}

test("answers pipelined requests in order, byte by byte or at once, for any unit", async () => {
  const socket = await open();
  const stream = Buffer.concat([readAt(1), readAt(2, 2, 0), readAt(3, 3, 255), readAt(4, 4, 77)]);
  for (const byte of stream) socket.write(Buffer.of(byte));
  socket.write(stream);
  const found = await answers(socket, 8);
  assert.deepEqual(
    found.map(({ transaction, unit, pdu }) => [transaction, unit, pdu.readUInt16BE(2)]),
    [1, 2].flatMap(() => [
      [1, 1, 1],
      [2, 0, 2],
      [3, 255, 3],
      [4, 77, 4],
    ]),
  );
  assert.deepEqual(asked.at(-1), ["127.0.0.1", 77]);
  socket.destroy();
  await connected(0);
});

test("takes the networks of its list, and cuts others off", async () => {
  const { refused } = server.figures;
  const friend = await open("127.0.1.9");
  friend.write(readAt(5));
  assert.equal((await answers(friend, 1)).length, 1);
  assert.equal(asked.at(-1)?.[0], "127.0.1.9");
  const stranger = await open("127.0.2.9");
  await closed(stranger);
  assert.equal(server.figures.refused, refused + 1);
  friend.destroy();
  await connected(0);
});

test("cuts off who comes beyond the limit, and takes others again when one has gone", async () => {
  const all = await Promise.all(Array.from({ length: clients }, () => open()));
  await connected(clients);
  await closed(await open());
  all[0]?.destroy();
  await connected(clients - 1);
  const next = await open();
  next.write(readAt(6));
  assert.equal((await answers(next, 1)).length, 1);
  for (const socket of [...all, next]) socket.destroy();
  await connected(0);
});

test("ends with who speaks something else, and serves the others", async () => {
  const good = await open();
  const garbled = server.figures.garbled;
  const hostile = [
    Buffer.from("GET / HTTP/1.1\r\nHost: hub\r\n\r\n"),
    Buffer.from([0, 1, 0, 0, 0xff, 0xff, 1, 3]),
    Buffer.from([0, 1, 0, 0, 0, 1, 1, 3]),
    Buffer.concat([readAt(7), Buffer.alloc(64, 0xee)]),
  ];
  for (const bytes of hostile) {
    const socket = await open();
    socket.write(bytes);
    await closed(socket);
  }
  assert.equal(server.figures.garbled, garbled + hostile.length);
  for (let round = 0; round < 200; round++) {
    const socket = await open();
    socket.write(randomBytes(1 + (round % 300)));
    socket.end();
    await closed(socket);
  }
  good.write(readAt(8));
  assert.equal((await answers(good, 1)).length, 1);
  good.destroy();
  await connected(0);
});

test("reads no further requests of a client whose answers wait, and cuts off who leaves them unread", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const socket = await open();
  const already = asked.length;
  for (let index = 0; index < 2000; index++) socket.write(readAt(9));
  while (asked.length === already) await new Promise((tick) => setImmediate(tick));
  assert.equal(asked.length, already + 1, "one at a time");
  resolve();
  gate = Promise.resolve();
  assert.equal((await answers(socket, 2000)).length, 2000);
  socket.destroy();
  await connected(0);
});
