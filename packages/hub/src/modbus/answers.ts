import type { Question, Refusal } from "./requests.ts";
import { refusals } from "./requests.ts";

/** Encodes why a request is refused. */
export function refusalOf(pdu: Buffer, refusal: Refusal): Buffer {
  return Buffer.of((pdu[0] ?? 0) | 0x80, refusal);
}

/** Encodes words, or bits as 0 or 1. */
export function valuesOf(code: number, values: readonly number[]): Buffer {
  if (code <= 2) {
    const bytes = Buffer.alloc(Math.ceil(values.length / 8));
    for (const [index, bit] of values.entries())
      bytes[index >> 3] = (bytes[index >> 3] ?? 0) | ((bit & 1) << (index & 7));
    return Buffer.concat([Buffer.of(code, bytes.length), bytes]);
  }
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, word] of values.entries()) bytes.writeUInt16BE(word, index * 2);
  return Buffer.concat([Buffer.of(code, bytes.length), bytes]);
}

/** Encodes that something was written: the start of the request. */
export function writtenOf(pdu: Buffer, { code }: Extract<Question, { kind: "write" }>): Buffer {
  return code === 22 ? Buffer.from(pdu) : Buffer.from(pdu.subarray(0, 5));
}

/** The words of an identification, by the numbers of their objects. */
export type Objects = ReadonlyMap<number, string>;
const basic = 2;

/** Encodes the hub's identification (application protocol v1.1b3, 6.21): all words fit one answer. */
export function identificationOf(
  { level, object }: Extract<Question, { kind: "identify" }>,
  objects: Objects,
): Buffer | Refusal {
  const individual = level === 4;
  if (individual && !objects.has(object)) return refusals.illegalAddress;
  // An unknown first object of a stream starts at its beginning.
  const from = objects.has(object) ? object : 0;
  const chosen = [...objects].filter(([id]) =>
    individual ? id === object : id >= from && (level > 1 || id <= basic),
  );
  const words = chosen.flatMap(([id, word]) => {
    const bytes = Buffer.from(word, "latin1").subarray(0, 60);
    return [id, bytes.length, ...bytes];
  });
  // Conformity: regular objects, as a stream and one by one.
  return Buffer.of(43, 0x0e, level, 0x82, 0, 0, chosen.length, ...words);
}
