import { decode, decodeWireless, FrameReader, MbusError, type Telegram, toNormalisedXml } from "../index.ts";

/** Returns a whole number from 0 up to `below`, exclusive. */
export type Below = (below: number) => number;

/** Returns a frame with something changed: bits, bytes, lengths, order. Most have a right checksum and length. */
export function mutated(frames: readonly Uint8Array[], below: Below): Uint8Array {
  const frame = frames[below(frames.length)] as Uint8Array;
  let bytes = [...frame];
  for (let changes = 1 + below(3); changes > 0; changes--) bytes = changed(bytes, frames, below);
  return Uint8Array.from(below(8) === 0 ? bytes : repaired(bytes));
}

function changed(bytes: readonly number[], frames: readonly Uint8Array[], below: Below): number[] {
  const at = below(bytes.length + 1);
  const byte = below(2) === 0 ? below(256) : (special[below(special.length)] as number);
  switch (bytes.length === 0 ? 1 : below(7)) {
    case 0:
      return bytes.with(Math.min(at, bytes.length - 1), byte);
    case 1:
      return [...bytes.slice(0, at), byte, ...bytes.slice(at)];
    case 2:
      return bytes.toSpliced(at, 1 + below(4));
    case 3:
      return bytes.slice(0, at);
    case 4:
      return [...bytes.slice(0, at), ...Array<number>(below(40)).fill(byte), ...bytes.slice(at)];
    case 5: {
      const other = frames[below(frames.length)] as Uint8Array;
      return [...bytes.slice(0, at), ...other.subarray(below(other.length))];
    }
    default:
      return bytes.map((old, i) => (i >= at && i < at + 4 ? old ^ (1 << below(8)) : old));
  }
}

/** Bytes that lead somewhere: DIFs, VIFs, extension bits, lengths, CI fields. */
const special = [
  0x00, 0x0d, 0x0f, 0x1f, 0x2f, 0x3f, 0x6c, 0x6d, 0x70, 0x72, 0x73, 0x76, 0x77, 0x78, 0x7a, 0x7c, 0x7f, 0x80,
  0x8d, 0xbf, 0xc9, 0xd9, 0xef, 0xf6, 0xfb, 0xfc, 0xfd, 0xfe, 0xff, 0x05,
];

/** A long frame around the bytes between start and checksum. */
function repaired(bytes: readonly number[]): number[] {
  const body = bytes.slice(4, -2).slice(0, 255);
  const sum = body.reduce((total, byte) => (total + byte) & 0xff, 0);
  return [0x68, body.length, body.length, 0x68, ...body, sum, 0x16];
}

/**
 * Decodes bytes in every way the package has.
 * @returns `outcome`: `decoded`, or the code of the error. `problems`: what must not happen, such as another error.
 */
export function tryDecoding(bytes: Uint8Array): {
  readonly outcome: string;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const frames = new FrameReader();
  try {
    for (let at = 0; at < bytes.length; at += 7) frames.push(bytes.subarray(at, at + 7));
    if (frames.waiting > 261) problems.push(`the reader holds ${frames.waiting} bytes`);
    const key = new Uint8Array(16);
    const telegram = decode(bytes, { keyOf: () => key });
    return { outcome: "decoded", problems: [...problems, ...problemsOf(telegram, bytes.length)] };
  } catch (error) {
    if (error instanceof MbusError) return { outcome: error.code, problems };
    return { outcome: "thrown", problems: [...problems, `thrown: ${String(error)}`] };
  }
}

/**
 * Decodes bytes as a wireless frame, without CRCs unless they have right ones.
 * @returns as `tryDecoding`
 */
export function tryWireless(bytes: Uint8Array): {
  readonly outcome: string;
  readonly problems: readonly string[];
} {
  const keys = [undefined, new Uint8Array(16)];
  const tries = keys.map((key) => {
    try {
      const { telegram } = decodeWireless(bytes, { keyOf: () => key });
      return {
        outcome: "decoded",
        problems: telegram === undefined ? [] : problemsOf(telegram, bytes.length),
      };
    } catch (error) {
      if (error instanceof MbusError) return { outcome: error.code, problems: [] };
      return { outcome: "thrown", problems: [`wireless: thrown: ${String(error)}`] };
    }
  });
  return { outcome: `wireless ${tries[0]?.outcome}`, problems: tries.flatMap(({ problems }) => problems) };
}

/** A wireless frame around the records of a wired one: link layer, now and then an extended one, no CRCs. */
export function toWireless(frame: Uint8Array, below: Below): Uint8Array {
  const address = [0x44, 0x93, 0x15, 0x78, 0x56, 0x34, 0x12, 0x33, 0x03];
  const layers = [[], [0x8c, 0, 1], [0x8d, 0, 1, 0, 0, 0, 0x20, 0, 0], [0x90, 3, 0, 0, 5]];
  const layer = layers[below(layers.length)] as readonly number[];
  const body = [...address, ...layer, ...frame.subarray(6, -2)].slice(0, 255);
  return Uint8Array.of(body.length, ...body);
}

function problemsOf(telegram: Telegram, length: number): readonly string[] {
  const problems: string[] = [];
  const xml = toNormalisedXml(telegram);
  // The longest record of two bytes takes less than this.
  if (xml.length > 2000 + 400 * length)
    problems.push(`${length} bytes made an XML of ${xml.length} characters`);
  if (telegram.kind === "variable" && telegram.records.length > length)
    problems.push(`${length} bytes made ${telegram.records.length} records`);
  return problems;
}
