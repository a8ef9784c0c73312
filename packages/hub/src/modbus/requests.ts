import { modbusTables } from "@ledge/model";

/** Why a request is refused (application protocol v1.1b3, 7). */
export const refusals = {
  illegalFunction: 1,
  illegalAddress: 2,
  illegalValue: 3,
  serverFailure: 4,
  serverBusy: 6,
  targetSilent: 11,
} as const;
export type Refusal = (typeof refusals)[keyof typeof refusals];

export type Table = keyof typeof modbusTables;
/** The tables by the numbers of the functions that read them. */
export const tables: ReadonlyMap<number, Table> = new Map(
  Object.entries(modbusTables).map(([table, code]) => [code, table as Table]),
);

/** What a client asks. `values` are words, or bits as 0 or 1. */
export type Question =
  | {
      readonly kind: "read";
      readonly code: number;
      readonly table: Table;
      readonly register: number;
      readonly count: number;
    }
  | {
      readonly kind: "write";
      readonly code: number;
      readonly table: "coil" | "holding";
      readonly register: number;
      readonly values: readonly number[];
      /** Only these bits are written, of function 22. */
      readonly mask?: number;
      /** Read afterwards, of function 23. */
      readonly read?: { readonly register: number; readonly count: number };
    }
  | { readonly kind: "identify"; readonly level: number; readonly object: number };

const most = { bits: 2000, words: 125, writtenBits: 1968, writtenWords: 123, bothWords: 121 } as const;

/** Reads a request (application protocol v1.1b3, 6). @returns why it is refused, for one that is wrong in itself */
export function readRequest(pdu: Buffer): Question | Refusal {
  const code = pdu[0] ?? 0;
  const reader = readers[code];
  if (reader === undefined) return refusals.illegalFunction;
  return reader(pdu, code);
}

type Reader = (pdu: Buffer, code: number) => Question | Refusal;

const read: Reader = (pdu, code) => {
  const table = tables.get(code);
  if (pdu.length !== 5 || table === undefined) return refusals.illegalValue;
  const [register, count] = [pdu.readUInt16BE(1), pdu.readUInt16BE(3)];
  if (count < 1 || count > (code <= 2 ? most.bits : most.words)) return refusals.illegalValue;
  if (register + count > 0x10000) return refusals.illegalAddress;
  return { kind: "read", code, table, register, count };
};

const writeOne: Reader = (pdu, code) => {
  if (pdu.length !== 5) return refusals.illegalValue;
  const [register, value] = [pdu.readUInt16BE(1), pdu.readUInt16BE(3)];
  if (code === 6) return { kind: "write", code, table: "holding", register, values: [value] };
  if (value !== 0 && value !== 0xff00) return refusals.illegalValue;
  return { kind: "write", code, table: "coil", register, values: [value === 0 ? 0 : 1] };
};

const writeSeveral: Reader = (pdu, code) => {
  if (pdu.length < 6) return refusals.illegalValue;
  const [register, count, bytes] = [pdu.readUInt16BE(1), pdu.readUInt16BE(3), pdu[5] ?? 0];
  const isBits = code === 15;
  const wanted = isBits ? Math.ceil(count / 8) : count * 2;
  if (count < 1 || count > (isBits ? most.writtenBits : most.writtenWords)) return refusals.illegalValue;
  if (bytes !== wanted || pdu.length !== 6 + bytes) return refusals.illegalValue;
  if (register + count > 0x10000) return refusals.illegalAddress;
  const values = Array.from({ length: count }, (_, index) =>
    isBits ? ((pdu[6 + (index >> 3)] ?? 0) >> (index & 7)) & 1 : pdu.readUInt16BE(6 + index * 2),
  );
  return { kind: "write", code, table: isBits ? "coil" : "holding", register, values };
};

const writeMasked: Reader = (pdu, code) => {
  if (pdu.length !== 7) return refusals.illegalValue;
  const [register, and, or] = [pdu.readUInt16BE(1), pdu.readUInt16BE(3), pdu.readUInt16BE(5)];
  const mask = ~and & 0xffff;
  return { kind: "write", code, table: "holding", register, values: [or & mask], mask };
};

const writeAndRead: Reader = (pdu, code) => {
  if (pdu.length < 10) return refusals.illegalValue;
  const asked = { register: pdu.readUInt16BE(1), count: pdu.readUInt16BE(3) };
  const [register, count, bytes] = [pdu.readUInt16BE(5), pdu.readUInt16BE(7), pdu[9] ?? 0];
  if (asked.count < 1 || asked.count > most.words || count < 1 || count > most.bothWords)
    return refusals.illegalValue;
  if (bytes !== count * 2 || pdu.length !== 10 + bytes) return refusals.illegalValue;
  if (asked.register + asked.count > 0x10000 || register + count > 0x10000) return refusals.illegalAddress;
  const values = Array.from({ length: count }, (_, index) => pdu.readUInt16BE(10 + index * 2));
  return { kind: "write", code, table: "holding", register, values, read: asked };
};

const identify: Reader = (pdu) => {
  const [, kind, level = 0, object = 0] = pdu;
  // 13 is CANopen, which only a gateway to it has.
  if (kind !== 0x0e) return refusals.illegalFunction;
  if (pdu.length !== 4 || level < 1 || level > 4) return refusals.illegalValue;
  return { kind: "identify", level, object };
};

const readers: Readonly<Record<number, Reader>> = {
  1: read,
  2: read,
  3: read,
  4: read,
  5: writeOne,
  6: writeOne,
  15: writeSeveral,
  16: writeSeveral,
  22: writeMasked,
  23: writeAndRead,
  43: identify,
};
