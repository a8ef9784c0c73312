import type { SerialFormat } from "@ledge/serial";
import { identifyFunction, longestFrame } from "./request.ts";

/** Computes the CRC of a serial frame (serial line guide v1.02, 6.2.2), sent low byte first. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}

/** Appends the CRC to bytes. */
export function withCrc(bytes: Uint8Array): Buffer {
  const crc = crc16(bytes);
  return Buffer.concat([bytes, Buffer.of(crc & 0xff, crc >> 8)]);
}

/**
 * Extracts whole answers with a correct CRC from received bytes, wherever they start: skips noise and the
 * tail of other answers.
 * @returns `rest`: bytes that may be the start of another answer.
 */
export function takeAnswers(received: Buffer): {
  readonly answers: readonly Buffer[];
  readonly rest: Buffer;
} {
  const answers: Buffer[] = [];
  let end = 0;
  for (let start = 0; start + 5 <= received.length;) {
    const length = answerLength(received, start);
    const answer = received.subarray(start, start + length);
    if (
      length > 0 &&
      answer.length === length &&
      crc16(answer.subarray(0, -2)) === answer.readUInt16LE(length - 2)
    ) {
      answers.push(answer);
      start += length;
      end = start;
    } else {
      start += 1;
    }
  }
  const rest = received.subarray(end);
  return { answers, rest: rest.subarray(Math.max(0, rest.length - longestFrame)) };
}

/** Returns the length of an answer that starts here; 0 when none can. */
function answerLength(bytes: Buffer, start: number): number {
  const code = bytes[start + 1] ?? 0;
  if (code >= 1 && code <= 4) return 5 + (bytes[start + 2] ?? 0);
  if (code === 5 || code === 6 || code === 15 || code === 16) return 8;
  if (code === identifyFunction) return identificationLength(bytes, start);
  return code > 0x80 && code <= (identifyFunction | 0x80) ? 5 : 0;
}

/**
 * Returns the length of an identification. Some devices count the objects of all their answers together, so the CRC
 * tells where this one ends.
 */
function identificationLength(bytes: Buffer, start: number): number {
  const most = bytes[start + 7] ?? 0;
  let end = start + 8;
  for (let count = 0; count <= most; count++) {
    if (end + 2 > bytes.length || end + 2 - start > longestFrame) return 0;
    if (crc16(bytes.subarray(start, end)) === bytes.readUInt16LE(end)) return end + 2 - start;
    end += 2 + (bytes[end + 1] ?? 0);
  }
  return 0;
}

/** The key of every identification: each is an answer to the one question. */
export const identifyKey = "identify";

/**
 * Returns what distinguishes an answer from others of its device: the function, and the length or written
 * register.
 */
export function answerKey(answer: Uint8Array): string {
  const [, code = 0, high = 0, low = 0] = answer;
  if (code === identifyFunction) return identifyKey;
  return code <= 4 ? `read ${code} ${answer.length}` : `write ${code} ${(high << 8) | low}`;
}

/** How long bytes take on a line; at most 12 bits each (serial line guide v1.02, 2.5.1). */
export function transmissionMs(
  bytes: number,
  { baudRate, dataBits, stopBits, parity }: SerialFormat,
): number {
  const bits = 1 + dataBits + (parity === "none" ? 0 : 1) + stopBits;
  return Math.ceil((bytes * bits * 1000) / baudRate);
}

/**
 * The silence that ends a frame, in whole ms: 3.5 characters, or 1.75 ms above 19200 baud (serial line guide
 * v1.02, 2.5.1.1).
 */
export function silenceMs(format: SerialFormat): number {
  return format.baudRate > 19_200 ? 2 : Math.max(2, transmissionMs(3.5, format));
}
