// Frame formats A and B of EN 13757-4: how a frame is cut into blocks with CRCs.
import { MbusError } from "../error.ts";
import { crcOf } from "./crc.ts";

/** `A` in modes S, T and often C, `B` in mode C. `none`: a receiver has checked and removed the CRCs. */
export type FrameFormat = "A" | "B" | "none";

const crcLength = 2;
const formatA = { first: 10, others: 16 } as const;
/** With its CRC, the first part of format B, which holds blocks 1 and 2, has at most 128 bytes. */
const formatB = { first: 126, others: 126 } as const;
/** L, C, manufacturer, address and CI. */
const shortest = 11;

/**
 * Checks the CRCs of a frame and removes them.
 * @param format found out from length and CRCs if it is not given
 * @returns the frame from its L field on, whose value may count CRCs
 * @throws MbusError `checksum`, `truncated` or `frame`
 */
export function withoutCrcs(bytes: Uint8Array, format?: FrameFormat): Uint8Array {
  const length = bytes[0];
  if (length === undefined) throw new MbusError("truncated", "the frame is empty");
  if (format !== undefined) return plainOf(bytes, format);
  if (bytes.length >= lengthOf(length, "A") && hasCrc(bytes, formatA.first)) return plainOf(bytes, "A");
  const firstPart = Math.min(length + 1 - crcLength, formatB.first);
  return plainOf(bytes, hasCrc(bytes, firstPart) ? "B" : "none");
}

/** Returns how many bytes a frame has, by its L field. */
export function lengthOf(length: number, format: FrameFormat): number {
  if (format !== "A") return length + 1;
  const { first, others } = formatA;
  return length + 1 + crcLength * (1 + Math.ceil(Math.max(0, length + 1 - first) / others));
}

/** Returns a frame with CRCs and its L field set. @param bytes from the L field on, whatever its value */
export function withCrcs(bytes: Uint8Array, format: FrameFormat): Uint8Array {
  if (format === "none") return Uint8Array.of(bytes.length - 1, ...bytes.subarray(1));
  const { first, others } = format === "A" ? formatA : formatB;
  const crcs = 1 + Math.ceil(Math.max(0, bytes.length - first) / others);
  const length = bytes.length - 1 + (format === "A" ? 0 : crcs * crcLength);
  if (length > 255) throw new MbusError("frame", `a frame of ${length} bytes is too long`);
  const plain = Uint8Array.of(length, ...bytes.subarray(1));
  const parts: number[] = [];
  for (let at = 0; at < plain.length; at += at === 0 ? first : others) {
    const block = plain.subarray(at, at + (at === 0 ? first : others));
    const crc = crcOf(block);
    parts.push(...block, crc >> 8, crc & 0xff);
  }
  return Uint8Array.from(parts);
}

function plainOf(bytes: Uint8Array, format: FrameFormat): Uint8Array {
  const wanted = lengthOf(bytes[0] as number, format);
  if (bytes.length < wanted)
    throw new MbusError("truncated", `the frame has ${bytes.length} of ${wanted} bytes`);
  const frame = bytes.subarray(0, wanted);
  const plain = format === "none" ? frame.slice() : checked(frame, format === "A" ? formatA : formatB);
  if (plain.length < shortest)
    throw new MbusError("truncated", `a frame has at least ${shortest} bytes, not ${plain.length}`);
  return plain;
}

function checked(
  frame: Uint8Array,
  { first, others }: { readonly first: number; readonly others: number },
): Uint8Array {
  const plain = new Uint8Array(frame.length);
  let filled = 0;
  for (let at = 0, number = 1; at < frame.length; number++) {
    const size = Math.min(number === 1 ? first : others, frame.length - at - crcLength);
    if (size <= 0) throw new MbusError("truncated", `block ${number} has no data`);
    const block = frame.subarray(at, at + size + crcLength);
    if (!hasCrc(block, size)) throw new MbusError("checksum", `the CRC of block ${number} is wrong`);
    plain.set(block.subarray(0, size), filled);
    filled += size;
    at += size + crcLength;
  }
  return plain.slice(0, filled);
}

/** Whether the CRC of the first bytes follows them. */
function hasCrc(bytes: Uint8Array, size: number): boolean {
  if (size <= 0 || bytes.length < size + crcLength) return false;
  return crcOf(bytes.subarray(0, size)) === (((bytes[size] as number) << 8) | (bytes[size + 1] as number));
}
