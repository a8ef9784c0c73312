import type { PluggableStick } from "../serial/serve.ts";

/** Messages of ESPHome's native API (api.proto), in plain text. */
const message = { hello: 1, helloAnswer: 2, ping: 7, pong: 8, info: 9, infoAnswer: 10, frame: 128 } as const;
/** Fields of the answers: the version of the API, and that the device passes frames of Z-Wave on. */
const apiMajor = 1;
const zwaveFlags = 23;
const dataField = 1;
/** Wire types of protocol buffers. */
const wire = { number: 0, bytes: 2 } as const;
/** Each message begins with it. */
const plain = 0x00;

/** Puts a stick behind a device that runs ESPHome: hosts reach it by `esphome://`. */
export function behindProxy(stick: PluggableStick): PluggableStick {
  return {
    faults: stick.faults,
    power: (isOn) => stick.power(isOn),
    connect(write) {
      const send = (type: number, body: Uint8Array = new Uint8Array()): void =>
        write(
          Buffer.concat([[plain], number(body.length), number(type), body].map((part) => Buffer.from(part))),
        );
      const line = stick.connect((bytes) =>
        send(message.frame, Buffer.from([...key(dataField, wire.bytes), ...number(bytes.length), ...bytes])),
      );
      let waiting = Buffer.alloc(0);
      return {
        receive(chunk) {
          waiting = Buffer.concat([waiting, chunk]);
          for (let next = take(waiting); next !== undefined; next = take(waiting)) {
            waiting = waiting.subarray(next.end);
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
