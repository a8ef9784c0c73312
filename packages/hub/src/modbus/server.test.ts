import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { after, before, test, type TestContext } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { features, limits, modbusServerId } from "@ledge/model";
import { freePort, openTestKernel, type TestKernel } from "@ledge/testkit";
import { refusalOf, valuesOf } from "./answers.ts";
import { type Asked, takeRequests, toAnswer } from "./frames.ts";
import { ModbusService } from "./modbus-server.ts";
import { readRequest } from "./requests.ts";
import { ModbusTcpServer } from "./server.ts";

const { modbusClients: clients } = limits;
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

async function open(localAddress = "127.0.0.1", port = server.port): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, localAddress });
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

test("answers 50 clients at once, cuts off who comes beyond, and takes others when one has gone", async () => {
  assert.equal(clients, 50);
  const all = await Promise.all(Array.from({ length: clients }, () => open()));
  await connected(clients);
  const { refused } = server.figures;
  await closed(await open());
  assert.equal(server.figures.refused, refused + 1);
  const read = await Promise.all(
    all.map(async (socket, index) => {
      socket.write(readAt(index));
      const [answer] = await answers(socket, 1);
      return answer?.pdu.readUInt16BE(2);
    }),
  );
  assert.deepEqual(
    read,
    all.map((_, index) => index),
  );
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

test("reads no further requests of a client whose answers wait", async () => {
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

test("cuts off who leaves answers unread", async () => {
  const socket = (await open()).pause();
  await connected(1);
  const readMany = toAnswer({ transaction: 1, unit: 1 }, Buffer.of(3, 0, 0, 0, 125));
  const flood = Buffer.concat(Array.from({ length: 1000 }, () => readMany));
  // The operating systems of both ends take some megabytes of answers first.
  const ask = (): void => void (server.figures.clients > 0 && socket.write(flood, ask));
  ask();
  await connected(0);
  assert.ok(socket.bytesRead < 1_000_000, "the answers were left unread");
  socket.destroy();
});

interface Service {
  readonly home: TestKernel;
  readonly service: ModbusService;
  readonly logged: string[];
  readonly port: number;
}

/** The server of a hub with a lamp in coil 0, whose log holds `allow`. */
async function serving(t: TestContext, allow: readonly string[]): Promise<Service> {
  const port = await freePort();
  const said = { origin: "system", depth: 0, version: 1 } as const;
  const device = { name: "Lamp", class: "LIGHT", capabilities: ["DEVICE", "ON_OFF"] };
  const about = { manufacturer: null, model: null, extras: {} };
  const mapping = { type: "MODBUS_TCP_MAPPING", deviceId: "d", attribute: "isOn", registerType: 1 };
  const form = { register: 0, unit: null, dataType: "bool", scale: 1, wordOrder: "big", writable: true };
  const events = [
    { type: "HubCreated", id: "h", name: "Hub", timezone: "UTC" },
    { type: "FeaturesSet", id: "h", features: [features.MODBUS_TCP_SERVER] },
    { type: "DeviceAdded", id: "d", ...device, ...about },
    { type: "DeviceReported", id: "d", attributes: { isOn: false, reachable: true }, at: 5 },
    { type: "ModbusMappingsSet", id: modbusServerId, mappings: [{ ...mapping, ...form }] },
    { type: "ModbusServerSet", id: modbusServerId, enabled: true, port, allow },
  ];
  const empty = openTestKernel();
  await empty.log.append({ timestamp: 5, events: events.map((event) => ({ ...event, ...said })) });
  const home = empty.restart();
  const logged: string[] = [];
  const logger = createLogger("silent", { write: (line) => logged.push(line) });
  const { kernel, clock } = home;
  const service = new ModbusService({ kernel, clock, logger, host: "127.0.0.1", version: "1" });
  t.after(() => service.stop());
  return { home, service, logged, port };
}

test("a network in the log that cannot be used stops the server alone, until it is mended", async (t) => {
  const { home, service, port } = await serving(t, ["192.168.001.010"]);
  service.start();
  await service.settled();
  assert.equal(service.status().listening, null);
  assert.match(service.status().problem ?? "", /192\.168\.001\.010|address/i);
  await home.accept({ type: "SET_MODBUS_TCP_SERVER", allow: ["127.0.0.1"] });
  await service.settled();
  assert.partialDeepStrictEqual(service.status(), { listening: port, problem: null });
});

test("tries to listen less and less often, and says why once", async (t) => {
  const { home, service, logged, port } = await serving(t, ["127.0.0.1"]);
  const other = createServer().listen(port, "127.0.0.1");
  await once(other, "listening");
  service.start();
  await service.settled();
  home.clock.advance(10_000);
  await service.settled();
  assert.match(service.status().problem ?? "", /EADDRINUSE/);
  assert.equal(logged.length, 1);
  other.close();
  await once(other, "close");
  home.clock.advance(19_000);
  await service.settled();
  assert.equal(service.status().listening, null);
  home.clock.advance(1_000);
  await service.settled();
  assert.partialDeepStrictEqual(service.status(), { listening: port, problem: null });
});

test("a client that writes the same again makes no command, and one that writes too much has to wait", async (t) => {
  const { home, service, port } = await serving(t, ["127.0.0.0/24"]);
  service.start();
  await service.settled();
  const writeCoil = (on: boolean): Buffer =>
    toAnswer({ transaction: 1, unit: 1 }, Buffer.of(5, 0, 0, on ? 0xff : 0, 0));
  const codes = async (socket: Socket, ...writes: boolean[]): Promise<readonly number[]> => {
    socket.write(Buffer.concat(writes.map(writeCoil)));
    return (await answers(socket, writes.length)).map(({ pdu }) => (pdu[0] === 5 ? 0 : (pdu[1] ?? -1)));
  };
  const socket = await open("127.0.0.1", port);
  const { timestamp } = home.kernel;
  assert.deepEqual(await codes(socket, false, false), [0, 0]);
  assert.equal(home.kernel.timestamp, timestamp, "it is off already");
  assert.deepEqual(await codes(socket, true), [0]);
  const told = home.kernel.timestamp;
  assert.ok(told > timestamp);
  assert.deepEqual(await codes(socket, true, true), [0, 0]);
  assert.equal(home.kernel.timestamp, told, "it has been told already");
  const many = await codes(
    socket,
    ...Array.from({ length: limits.modbusCommandsPerMinute }, (_, at) => at % 2 > 0),
  );
  assert.deepEqual([many.at(-2), many.at(-1)], [0, 6]);
  const other = await open("127.0.0.2", port);
  assert.deepEqual(await codes(other, true), [0], "another client has an allowance of its own");
  home.clock.advance(60_000 / limits.modbusCommandsPerMinute);
  assert.deepEqual(await codes(socket, false), [0]);
  socket.destroy();
  other.destroy();
});
