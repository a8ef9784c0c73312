// The frames of the link layer, EN 13757-2 with the formats of EN 60870-5-1 class FT1.2.
import { MbusError } from "./error.ts";
import { hexByte } from "./hex.ts";

/** A frame of the wired link layer. */
export type Frame =
  | { readonly type: "ack" }
  | { readonly type: "short"; readonly control: number; readonly address: number }
  | {
      readonly type: "control";
      readonly control: number;
      readonly address: number;
      readonly information: number;
    }
  | {
      readonly type: "long";
      readonly control: number;
      readonly address: number;
      readonly information: number;
      /** The bytes after the CI field. */
      readonly data: Uint8Array;
    };

const single = 0xe5;
const startShort = 0x10;
const startLong = 0x68;
const stop = 0x16;

/** The longest frame: 255 bytes, and the start and stop around them. */
export const longestFrame = 261;
/** The most bytes after the CI field. */
export const longestData = 252;

/** Addresses of the link layer with a meaning of their own. A slave has 1 to 250, and 0 before it is given one. */
export const addresses = {
  unconfigured: 0,
  highestSlave: 250,
  /** Reaches the slave that was selected by its secondary address. */
  selected: 253,
  /** All slaves answer: for a bus with one slave. */
  test: 254,
  /** All slaves listen, none answers. */
  broadcast: 255,
} as const;

/** C fields. Add `frameCountBit` to those of a master that count. */
export const controls = {
  sndNke: 0x40,
  sndUd: 0x53,
  reqUd2: 0x5b,
  reqUd1: 0x5a,
  rspUd: 0x08,
  frameCountBit: 0x20,
} as const;

/** SND_NKE, SND_UD, REQ_UD2, REQ_UD1 with and without FCB; RSP_UD with ACD and DFC. */
const known = new Set([0x40, 0x53, 0x73, 0x5b, 0x7b, 0x5a, 0x7a, 0x08, 0x18, 0x28, 0x38]);

/**
 * Reads one frame that is the whole of the bytes.
 * @throws MbusError `truncated` if bytes are missing, `checksum`, or `frame` for anything else
 */
export function readFrame(bytes: Uint8Array): Frame {
  const length = lengthOfFrame(bytes);
  if (length === undefined || bytes.length < length)
    throw new MbusError("truncated", `the frame ends after ${bytes.length} bytes`);
  if (bytes.length > length)
    throw new MbusError("frame", `${bytes.length - length} bytes follow the frame of ${length} bytes`);
  if (length === 1) return { type: "ack" };
  const isShort = bytes[0] === startShort;
  const from = isShort ? 1 : 4;
  if (bytes[length - 1] !== stop)
    throw new MbusError("frame", `the frame ends with ${shown(bytes[length - 1])}, not 16`);
  const sum = checksum(bytes.subarray(from, length - 2));
  if (sum !== bytes[length - 2])
    throw new MbusError("checksum", `the checksum is ${shown(bytes[length - 2])}, not ${hexByte(sum)}`);
  const control = bytes[from] as number;
  const address = bytes[from + 1] as number;
  if (!known.has(control)) throw new MbusError("frame", `no frame has the C field ${hexByte(control)}`);
  if (isShort) return { type: "short", control, address };
  const information = bytes[6] as number;
  if (length === 9) return { type: "control", control, address, information };
  return { type: "long", control, address, information, data: bytes.slice(7, length - 2) };
}

/**
 * Returns how many bytes the frame has that begins here; undefined while its start does not say it yet.
 * @throws MbusError `frame` if no frame begins here
 */
export function lengthOfFrame(bytes: Uint8Array): number | undefined {
  const start = bytes[0];
  if (start === undefined) return undefined;
  if (start === single) return 1;
  if (start === startShort) return 5;
  if (start !== startLong) throw new MbusError("frame", `no frame begins with ${hexByte(start)}`);
  const [, first, second, again] = bytes;
  if (first !== undefined && first < 3)
    throw new MbusError("frame", `a length of ${first} bytes is too short`);
  if (second !== undefined && second !== first)
    throw new MbusError("frame", `the lengths ${shown(first)} and ${shown(second)} differ`);
  if (again !== undefined && again !== startLong)
    throw new MbusError("frame", `the second start is ${shown(again)}, not 68`);
  return again === undefined || first === undefined ? undefined : first + 6;
}

/** Returns the bytes of a frame. Throws MbusError (`frame`) if a field or the data exceeds what a frame holds. */
export function writeFrame(frame: Frame): Uint8Array {
  if (frame.type === "ack") return Uint8Array.of(single);
  const data = frame.type === "long" ? frame.data : new Uint8Array(0);
  if (data.length > longestData)
    throw new MbusError("frame", `${data.length} bytes of data exceed the ${longestData} of a frame`);
  const body =
    frame.type === "short"
      ? [frame.control, frame.address]
      : [frame.control, frame.address, frame.information, ...data];
  const wrong = body.find((byte) => !Number.isInteger(byte) || byte < 0 || byte > 255);
  if (wrong !== undefined) throw new MbusError("frame", `${wrong} is not a byte`);
  const head = frame.type === "short" ? [startShort] : [startLong, body.length, body.length, startLong];
  return Uint8Array.from([...head, ...body, checksum(body), stop]);
}

/** The sum of the bytes, without carry. */
function checksum(bytes: Iterable<number>): number {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return sum & 0xff;
}

function shown(byte: number | undefined): string {
  return byte === undefined ? "nothing" : hexByte(byte);
}
