import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:net";
import { takeMessages, toMessage } from "../mbap.ts";

export interface Asked {
  readonly unit: number;
  readonly code: number;
  readonly register: number;
  readonly count: number;
}

/** The behaviour of a slave; tests may change it at any time. */
export interface Behaviour {
  /** The delay of an answer, ms; Infinity: never. It does not delay answers to later requests. */
  delay: (asked: Asked) => number;
  /** The exception to answer with; 0: none. */
  refuse: (asked: Asked) => number;
  /** Acknowledges writes without carrying them out. */
  ignoresWrites: boolean;
  /** Closes the connection instead of answering. */
  hangsUp: boolean;
}

export interface Slave {
  readonly port: number;
  readonly behaviour: Behaviour;
  /** The tables of a unit, made on first use. Bits are 0 or 1. */
  unit(unit: number): Tables;
  /** All requests so far, in order. */
  readonly requests: Asked[];
  /** The largest number of requests pending at once. */
  readonly mostAtOnce: () => number;
  /** Refuses connections and drops the open ones. */
  down(): Promise<void>;
  /** Listens again on the same port. */
  up(): Promise<void>;
}

export interface Tables {
  readonly coils: Uint8Array;
  readonly discretes: Uint8Array;
  readonly holding: Uint16Array;
  readonly input: Uint16Array;
}

/**
 * A Modbus TCP server on a free port of 127.0.0.1, written from the application protocol v1.1b3 alone:
 * functions 1 to 6, 15 and 16.
 */
export async function startSlave(): Promise<Slave> {
  const behaviour: Behaviour = { delay: () => 0, refuse: () => 0, ignoresWrites: false, hangsUp: false };
  const units = new Map<number, Tables>();
  const sockets = new Set<Socket>();
  const requests: Asked[] = [];
  let underWay = 0;
  let mostAtOnce = 0;
  const unitOf = (unit: number): Tables => {
    const tables = units.get(unit) ?? newTables();
    units.set(unit, tables);
    return tables;
  };

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    let received: Buffer = Buffer.alloc(0);
    socket.on("data", (bytes: Buffer) => {
      const { messages, rest } = takeMessages(Buffer.concat([received, bytes]));
      received = rest ?? Buffer.alloc(0);
      for (const { transaction, bytes: request } of messages) {
        const [unit = 0, code = 0] = request;
        const isShort = request.length < 6;
        const count = isShort || code === 5 || code === 6 ? 1 : request.readUInt16BE(4);
        const asked = { unit, code, register: isShort ? 0 : request.readUInt16BE(2), count };
        requests.push(asked);
        mostAtOnce = Math.max(mostAtOnce, ++underWay);
        if (behaviour.hangsUp) socket.destroy();
        const answer = (): void => {
          underWay -= 1;
          if (socket.destroyed) return;
          socket.write(toMessage({ transaction, bytes: respond(unitOf(unit), request, asked, behaviour) }));
        };
        const delay = behaviour.delay(asked);
        if (delay === 0) answer();
        else if (delay < Infinity) setTimeout(answer, delay);
      }
    });
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    behaviour,
    unit: unitOf,
    requests,
    mostAtOnce: () => mostAtOnce,
    up: () => (server.listening ? Promise.resolve() : listen(port)),
    down: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function newTables(): Tables {
  const size = 0x10000;
  return {
    coils: new Uint8Array(size),
    discretes: new Uint8Array(size),
    holding: new Uint16Array(size),
    input: new Uint16Array(size),
  };
}

/** @returns the answer from the unit on. */
function respond(tables: Tables, request: Buffer, asked: Asked, behaviour: Behaviour): Buffer {
  const { unit, code, register, count } = asked;
  const refusal = ![1, 2, 3, 4, 5, 6, 15, 16].includes(code) ? 1 : behaviour.refuse(asked);
  if (refusal > 0) return Buffer.of(unit, code | 0x80, refusal);
  if (count < 1 || register + count > 0x10000) return Buffer.of(unit, code | 0x80, 2);
  const end = register + count;
  if (code <= 2)
    return readBits(unit, code, (code === 1 ? tables.coils : tables.discretes).subarray(register, end));
  if (code <= 4)
    return readWords(unit, code, (code === 3 ? tables.holding : tables.input).subarray(register, end));
  const word = request.readUInt16BE(4);
  if (behaviour.ignoresWrites) return request.subarray(0, 6);
  if (code === 5) tables.coils[register] = word === 0xff00 ? 1 : 0;
  else if (code === 6) tables.holding[register] = word;
  else for (let index = 0; index < count; index++) writeOne(tables, code, register, index, request);
  return request.subarray(0, 6);
}

function readBits(unit: number, code: number, bits: Uint8Array): Buffer {
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries())
    bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (index & 7));
  return Buffer.concat([Buffer.of(unit, code, bytes.length), bytes]);
}

function readWords(unit: number, code: number, words: Uint16Array): Buffer {
  const bytes = Buffer.alloc(words.length * 2);
  for (const [index, word] of words.entries()) bytes.writeUInt16BE(word, index * 2);
  return Buffer.concat([Buffer.of(unit, code, bytes.length), bytes]);
}

function writeOne(tables: Tables, code: number, register: number, index: number, request: Buffer): void {
  if (code === 15) tables.coils[register + index] = ((request[7 + (index >> 3)] ?? 0) >> (index & 7)) & 1;
  else tables.holding[register + index] = request.readUInt16BE(7 + index * 2);
}
