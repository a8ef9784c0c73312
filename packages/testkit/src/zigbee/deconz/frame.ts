import { ByteReader, wire } from "../bytes.ts";

/** A frame of the deCONZ serial protocol (document version 1.14, chapter 5), without SLIP and CRC. */
export interface DeconzFrame {
  readonly command: number;
  /** Requests are numbered by the host; a response has the number of its request. */
  readonly sequence: number;
  readonly status: number;
  readonly payload: Uint8Array;
}

const headLength = 5;
const crcLength = 2;

/** Returns a frame with its length and CRC. */
export function encodeFrame({ command, sequence, status, payload }: DeconzFrame): Uint8Array {
  const frame = wire()
    .u8(command, sequence, status)
    .u16(headLength + payload.length)
    .bytes(payload)
    .done();
  return wire().bytes(frame).u16(crcOf(frame)).done();
}

/** Returns the frame in received content; null for content with a wrong length or CRC. */
export function parseFrame(content: Uint8Array): DeconzFrame | null {
  if (content.length < headLength + crcLength) return null;
  const frame = content.slice(0, -crcLength);
  const reader = new ByteReader(frame);
  const [command, sequence, status, length] = [reader.u8(), reader.u8(), reader.u8(), reader.u16()];
  const crc = new ByteReader(content.slice(-crcLength)).u16();
  if (length !== frame.length || crc !== crcOf(frame)) return null;
  return { command, sequence, status, payload: reader.rest() };
}

/** The two's complement of the sum of all bytes (deCONZ serial protocol, 4.1). */
function crcOf(frame: Uint8Array): number {
  return -frame.reduce((sum, byte) => sum + byte, 0) & 0xffff;
}
