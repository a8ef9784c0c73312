import type { PluggableStick } from "../serial/serve.ts";
import { type Answered, answerHandshake } from "./esphome-noise.ts";

/** Messages of ESPHome's native API (api.proto). */
const message = { hello: 1, helloAnswer: 2, ping: 7, pong: 8, info: 9, infoAnswer: 10, frame: 128 } as const;
/** Fields of the answers: the version of the API, and that the device passes frames of Z-Wave on. */
const apiMajor = 1;
const zwaveFlags = 23;
const dataField = 1;
/** Wire types of protocol buffers. */
const wire = { number: 0, bytes: 2 } as const;
/** Each message begins with one of them. */
const [plain, sealed] = [0x00, 0x01];
/** What an encrypted line begins with: the version of the protocol, the name and the address of the device. */
const greeting = Buffer.from("\u0001stick\0aabbccddeeff\0");

/** A line to a host. */
interface Line {
  send(type: number, body: Uint8Array): void;
  /** Returns the messages that are here as a whole. */
  take(chunk: Uint8Array): readonly Omit<Taken, "end">[];
}

/**
 * Puts a stick behind a device that runs ESPHome: hosts reach it by `esphome://`.
 * @param secret the key of its native API; without one it talks in plain text
 */
export function behindProxy(stick: PluggableStick, secret?: Uint8Array): PluggableStick {
  return {
    faults: stick.faults,
    power: (isOn) => stick.power(isOn),
    connect(write) {
      const api = secret === undefined ? plainLine(write) : sealedLine(write, secret);
      const send = (type: number, body: Uint8Array = new Uint8Array()): void => api.send(type, body);
      const line = stick.connect((bytes) =>
        send(message.frame, Buffer.from([...key(dataField, wire.bytes), ...number(bytes.length), ...bytes])),
      );
      return {
        receive(chunk) {
          for (const next of api.take(chunk)) {
            if (next.type === message.hello)
              send(message.helloAnswer, Buffer.from([...key(apiMajor, wire.number), 1]));
            if (next.type === message.info)
              send(message.infoAnswer, Buffer.from([...key(zwaveFlags, wire.number), 1]));
            if (next.type === message.ping) send(message.pong);
            if (next.type === message.frame) line.receive(dataOf(next.body));
          }
        },
        close: () => line.close(),
      };
    },
  };
}

function plainLine(write: (bytes: Uint8Array) => void): Line {
  let waiting = Buffer.alloc(0);
  return {
    send: (type, body) =>
      write(
        Buffer.concat([[plain], number(body.length), number(type), body].map((part) => Buffer.from(part))),
      ),
    take(chunk) {
      waiting = Buffer.concat([waiting, chunk]);
      const messages: Taken[] = [];
      for (let next = take(waiting); next !== undefined; next = take(waiting)) {
        waiting = waiting.subarray(next.end);
        messages.push(next);
      }
      return messages;
    },
  };
}

/** Frames of a line with encryption: its greeting, its handshake, then sealed messages. */
function sealedLine(write: (bytes: Uint8Array) => void, secret: Uint8Array): Line {
  let waiting = Buffer.alloc(0);
  let isGreeted = false;
  let ciphers: Pick<Answered, "from" | "to"> | undefined;
  const frame = (body: Uint8Array): void =>
    write(Buffer.concat([Buffer.from([sealed, body.length >> 8, body.length & 0xff]), body]));
  const begin = (body: Uint8Array): void => {
    if (!isGreeted) {
      isGreeted = true;
      return frame(greeting);
    }
    try {
      const { reply, ...both } = answerHandshake(secret, body.subarray(1));
      frame(Buffer.concat([[0], reply].map((part) => Buffer.from(part))));
      ciphers = both;
    } catch {
      frame(Buffer.from("\u0001Handshake MAC failure"));
    }
  };
  return {
    send(type, body) {
      const head = Buffer.alloc(4);
      head.writeUInt16BE(type, 0);
      head.writeUInt16BE(body.length, 2);
      if (ciphers) frame(ciphers.to.seal(Buffer.concat([head, body])));
    },
    take(chunk) {
      waiting = Buffer.concat([waiting, chunk]);
      const messages: Omit<Taken, "end">[] = [];
      while (waiting.length >= 3 && waiting.length >= 3 + waiting.readUInt16BE(1)) {
        const end = 3 + waiting.readUInt16BE(1);
        const body = waiting.subarray(3, end);
        waiting = waiting.subarray(end);
        const opened = ciphers?.from.open(body);
        if (opened === undefined) begin(body);
        else messages.push({ type: opened.readUInt16BE(0), body: Uint8Array.from(opened.subarray(4)) });
      }
      return messages;
    },
  };
}

interface Taken {
  readonly type: number;
  readonly body: Uint8Array;
  /** Where the next message begins. */
  readonly end: number;
}

/** Returns the first message; undefined while it is not here as a whole. */
function take(bytes: Buffer): Taken | undefined {
  const length = read(bytes, 1);
  const type = length && read(bytes, length.end);
  if (length === undefined || type === undefined) return undefined;
  const end = type.end + length.value;
  return bytes.length < end
    ? undefined
    : { type: type.value, body: Uint8Array.from(bytes.subarray(type.end, end)), end };
}

/** The only field of a frame. */
function dataOf(body: Uint8Array): Uint8Array {
  const length = read(body, 1);
  return length === undefined ? new Uint8Array() : body.subarray(length.end, length.end + length.value);
}

function key(field: number, type: number): readonly number[] {
  return number((field << 3) | type);
}

/** A number in seven bits per byte, the least first. */
function number(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >> 7)];
}

function read(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = at; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    value |= (byte & 0x7f) << (7 * (index - at));
    if (byte < 0x80) return { value, end: index + 1 };
  }
  return undefined;
}
