// Walks MessagePack bytes without making values of them. A decoder reserves memory for as many elements as a list
// announces, so bytes from a client are checked first: all that is announced is there, and nothing is too deep.
// Source: the MessagePack specification, formats.
import { ProtocolError } from "./messages.ts";

/** Bytes behind the first one, for formats of one fixed size, from 0xc0. */
const fixedSizes: Readonly<Record<number, number>> = {
  0xc0: 0,
  0xc2: 0,
  0xc3: 0,
  0xca: 4,
  0xcb: 8,
  0xcc: 1,
  0xcd: 2,
  0xce: 4,
  0xcf: 8,
  0xd0: 1,
  0xd1: 2,
  0xd2: 4,
  0xd3: 8,
  0xd4: 2,
  0xd5: 3,
  0xd6: 5,
  0xd7: 9,
  0xd8: 17,
};

/** Bytes of the length behind the first byte, and bytes of a type behind that. */
const sized: Readonly<Record<number, readonly [lengthBytes: number, typeBytes: number]>> = {
  0xc4: [1, 0],
  0xc5: [2, 0],
  0xc6: [4, 0],
  0xc7: [1, 1],
  0xc8: [2, 1],
  0xc9: [4, 1],
  0xd9: [1, 0],
  0xda: [2, 0],
  0xdb: [4, 0],
};

/** Bytes of the count behind the first byte, and values for each element. */
const nested: Readonly<Record<number, readonly [countBytes: number, valuesEach: number]>> = {
  0xdc: [2, 1],
  0xdd: [4, 1],
  0xde: [2, 2],
  0xdf: [4, 2],
};

/** @throws ProtocolError unless the bytes are exactly one value, no deeper than allowed. */
export function refuseMalformed(bytes: Uint8Array, depthMax: number): void {
  /** Values that are still to come, of each list or map that the walk is in. */
  const left = [1];
  let at = 0;
  while (left.length > 0) {
    const level = left.length - 1;
    if (left[level] === 0) {
      left.pop();
      continue;
    }
    left[level] = (left[level] ?? 0) - 1;
    const { size, values } = headAt(bytes, at);
    at += size;
    if (at + values > bytes.length) throw new ProtocolError("a message ends too early");
    if (values === 0) continue;
    if (left.length > depthMax) throw new ProtocolError("the message is nested too deeply");
    left.push(values);
  }
  if (at !== bytes.length) throw new ProtocolError("a message has bytes behind its end");
}

/** The bytes that a value takes without the values in it, and how many values are in it. */
function headAt(bytes: Uint8Array, at: number): { readonly size: number; readonly values: number } {
  const first = bytes[at];
  if (first === undefined) throw new ProtocolError("a message ends too early");
  if (first < 0x80 || first >= 0xe0) return { size: 1, values: 0 };
  if (first < 0x90) return { size: 1, values: 2 * (first & 0x0f) };
  if (first < 0xa0) return { size: 1, values: first & 0x0f };
  if (first < 0xc0) return { size: 1 + (first & 0x1f), values: 0 };
  const fixed = fixedSizes[first];
  if (fixed !== undefined) return { size: 1 + fixed, values: 0 };
  const [lengthBytes, typeBytes] = sized[first] ?? [];
  if (lengthBytes !== undefined && typeBytes !== undefined) {
    return { size: 1 + lengthBytes + typeBytes + numberAt(bytes, at + 1, lengthBytes), values: 0 };
  }
  const [countBytes, valuesEach] = nested[first] ?? [];
  if (countBytes === undefined || valuesEach === undefined)
    throw new ProtocolError("a message has a byte 0xc1");
  return { size: 1 + countBytes, values: valuesEach * numberAt(bytes, at + 1, countBytes) };
}

/** An unsigned number, the highest byte first. */
function numberAt(bytes: Uint8Array, at: number, length: number): number {
  let number = 0;
  for (let index = at; index < at + length; index++) {
    const byte = bytes[index];
    if (byte === undefined) throw new ProtocolError("a message ends too early");
    number = number * 256 + byte;
  }
  return number;
}
