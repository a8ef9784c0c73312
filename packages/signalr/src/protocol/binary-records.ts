// Records of the MessagePack protocol: the length as VarInt, then that many bytes.
import type { Arrived } from "./arrived.ts";
import { ProtocolError } from "./messages.ts";

const lengthBytesMax = 5;

/** Puts its length before a body. */
export function withLength(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const prefix: number[] = [];
  let rest = length;
  do {
    prefix.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    rest >>>= 7;
  } while (rest > 0);
  return Buffer.concat([Uint8Array.from(prefix), ...parts], prefix.length + length);
}

/**
 * Takes a record without its length; undefined if it has not arrived whole.
 * @throws ProtocolError if the length is malformed or beyond what is allowed
 */
export function takeMeasured(arrived: Arrived, bytesMax: number): Uint8Array | undefined {
  const rest = arrived.rest();
  const length = lengthIn(rest, bytesMax);
  if (length === undefined || rest.length < length.prefix + length.body) return undefined;
  arrived.take(length.prefix);
  return arrived.take(length.body);
}

/**
 * Reads the length of the record at the start of these bytes.
 * @returns undefined if it has not arrived whole
 * @throws ProtocolError if the length is malformed or beyond what is allowed
 */
function lengthIn(
  bytes: Uint8Array,
  bytesMax: number,
): { readonly prefix: number; readonly body: number } | undefined {
  let body = 0;
  for (let index = 0; index < lengthBytesMax; index++) {
    const byte = bytes[index];
    if (byte === undefined) return undefined;
    body += (byte & 0x7f) * 2 ** (7 * index);
    if (body > bytesMax) throw new ProtocolError(`a message is longer than ${bytesMax} bytes`);
    if (byte < 0x80) return { prefix: index + 1, body };
  }
  throw new ProtocolError("the length of a message is malformed");
}
