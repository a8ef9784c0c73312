import type { Ieee } from "../../air.ts";
import type { ByteReader, ByteWriter } from "./bytes.ts";

/** A value with its type, like the elements of arrays and structures. */
export interface Typed {
  readonly type: DataType;
  readonly value: Value;
}

/**
 * The value of an attribute: a number up to 48 bits, bigint beyond, `0x…` for an IEEE address, octets for octet
 * strings and keys. Null is the invalid value ("unknown") of types that have one.
 */
export type Value = number | bigint | boolean | string | Uint8Array | readonly Typed[] | null;

interface TypeRow {
  readonly id: number;
  /** Whether reports of the type can wait for a change of some size. */
  readonly analog: boolean;
  read(from: ByteReader): Value;
  write(to: ByteWriter, value: Value): void;
}

/** An unsigned number of `octets`. All ones is the invalid value, except in bitmaps and data. */
function unsigned(id: number, octets: number, analog: boolean, hasInvalid: boolean): TypeRow {
  const invalid = 2 ** (8 * octets) - 1;
  return {
    id,
    analog,
    read: (from) => nullIf(from.uint(octets), hasInvalid ? invalid : undefined),
    write: (to, value) => to.uint(value === null ? invalid : (value as number), octets),
  };
}

/** A two's complement number of `octets`. The lowest number is the invalid value. */
function signed(id: number, octets: number): TypeRow {
  const invalid = -(2 ** (8 * octets - 1));
  return {
    id,
    analog: true,
    read: (from) => nullIf(from.int(octets), invalid),
    write: (to, value) => to.int(value === null ? invalid : (value as number), octets),
  };
}

/** Unsigned numbers that a double cannot hold exactly, as bigint. */
function wide(id: number, octets: number, analog: boolean): TypeRow {
  return {
    id,
    analog,
    read: (from) => BigInt(from.uint(4)) | (BigInt(from.uint(octets - 4)) << 32n),
    write: (to, value) => {
      const wanted = BigInt.asUintN(8 * octets, value as bigint);
      to.uint32(Number(wanted & 0xffff_ffffn)).uint(Number(wanted >> 32n), octets - 4);
    },
  };
}

function floating(id: number, octets: 4 | 8): TypeRow {
  return {
    id,
    analog: true,
    read: (from) => {
      const bytes = Buffer.from(from.bytes(octets));
      const number = octets === 4 ? bytes.readFloatLE() : bytes.readDoubleLE();
      return Number.isNaN(number) ? null : number;
    },
    write: (to, value) => {
      const bytes = Buffer.alloc(octets);
      const number = value === null ? Number.NaN : (value as number);
      if (octets === 4) bytes.writeFloatLE(number);
      else bytes.writeDoubleLE(number);
      to.bytes(bytes);
    },
  };
}

/** Octets or characters after their length. A length of all ones is the invalid value. */
function string(id: number, lengthOctets: 1 | 2, isText: boolean): TypeRow {
  const invalid = 2 ** (8 * lengthOctets) - 1;
  return {
    id,
    analog: false,
    read: (from) => {
      const length = from.uint(lengthOctets);
      if (length === invalid) return null;
      const bytes = from.bytes(length);
      return isText ? Buffer.from(bytes).toString("utf8") : bytes;
    },
    write: (to, value) => {
      if (value === null) return void to.uint(invalid, lengthOctets);
      // Some makers store octets in a text.
      const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : (value as Uint8Array);
      to.uint(bytes.length, lengthOctets).bytes(bytes);
    },
  };
}

/** Elements of one type: an array, set or bag. */
function sequence(id: number): TypeRow {
  return {
    id,
    analog: false,
    read: (from) => {
      const type = typeOf(from.uint8());
      const count = from.uint16();
      if (count === 0xffff) return null;
      return elements(count, () => ({ type, value: readValue(from, type) }));
    },
    write: (to, value) => {
      const items = value as readonly Typed[] | null;
      to.uint8(rows[items?.[0]?.type ?? "none"].id).uint16(items?.length ?? 0xffff);
      for (const item of items ?? []) writeValue(to, item.type, item.value);
    },
  };
}

function structure(id: number): TypeRow {
  return {
    id,
    analog: false,
    read: (from) => {
      const count = from.uint16();
      if (count === 0xffff) return null;
      return elements(count, () => readTyped(from));
    },
    write: (to, value) => {
      const items = value as readonly Typed[] | null;
      to.uint16(items?.length ?? 0xffff);
      for (const item of items ?? []) writeTyped(to, item);
    },
  };
}

const none: TypeRow = { id: 0x00, analog: false, read: () => null, write: () => undefined };
const bool: TypeRow = {
  id: 0x10,
  analog: false,
  read: (from) => nullIf(from.uint8(), 0xff, (octet) => octet !== 0),
  write: (to, value) => to.uint8(value === null ? 0xff : Number(value)),
};
const ieee: TypeRow = {
  id: 0xf0,
  analog: false,
  read: (from) => from.ieee(),
  write: (to, value) => to.ieee(value as Ieee),
};
const key: TypeRow = {
  id: 0xf1,
  analog: false,
  read: (from) => from.bytes(16),
  write: (to, value) => to.bytes(value as Uint8Array),
};

/** Zigbee Cluster Library, 2.6.2: attribute data types. */
const rows = {
  none,
  data8: unsigned(0x08, 1, false, false),
  data16: unsigned(0x09, 2, false, false),
  data24: unsigned(0x0a, 3, false, false),
  data32: unsigned(0x0b, 4, false, false),
  data64: wide(0x0f, 8, false),
  bool,
  map8: unsigned(0x18, 1, false, false),
  map16: unsigned(0x19, 2, false, false),
  map24: unsigned(0x1a, 3, false, false),
  map32: unsigned(0x1b, 4, false, false),
  map64: wide(0x1f, 8, false),
  uint8: unsigned(0x20, 1, true, true),
  uint16: unsigned(0x21, 2, true, true),
  uint24: unsigned(0x22, 3, true, true),
  uint32: unsigned(0x23, 4, true, true),
  uint40: unsigned(0x24, 5, true, true),
  uint48: unsigned(0x25, 6, true, true),
  uint56: wide(0x26, 7, true),
  uint64: wide(0x27, 8, true),
  int8: signed(0x28, 1),
  int16: signed(0x29, 2),
  int24: signed(0x2a, 3),
  int32: signed(0x2b, 4),
  int48: signed(0x2d, 6),
  enum8: unsigned(0x30, 1, false, true),
  enum16: unsigned(0x31, 2, false, true),
  single: floating(0x39, 4),
  double: floating(0x3a, 8),
  octets: string(0x41, 1, false),
  text: string(0x42, 1, true),
  longOctets: string(0x43, 2, false),
  longText: string(0x44, 2, true),
  array: sequence(0x48),
  struct: structure(0x4c),
  set: sequence(0x50),
  bag: sequence(0x51),
  timeOfDay: unsigned(0xe0, 4, true, true),
  date: unsigned(0xe1, 4, true, true),
  utc: unsigned(0xe2, 4, true, true),
  cluster: unsigned(0xe8, 2, false, true),
  attribute: unsigned(0xe9, 2, false, true),
  bacnet: unsigned(0xea, 4, false, true),
  ieee,
  key,
} satisfies Readonly<Record<string, TypeRow>>;

export type DataType = keyof typeof rows;

export const dataTypes = Object.keys(rows) as DataType[];

const byId: ReadonlyMap<number, DataType> = new Map(dataTypes.map((type) => [rows[type].id, type]));

/** Thrown at an unknown type identifier: what follows it cannot be read. */
export class UnknownType extends Error {
  override readonly name = "UnknownType";
}

/** @throws UnknownType */
export function typeOf(id: number): DataType {
  const type = byId.get(id);
  if (!type) throw new UnknownType(`0x${id.toString(16)} is not a data type`);
  return type;
}

export function typeId(type: DataType): number {
  return rows[type].id;
}

export function isAnalog(type: DataType): boolean {
  return rows[type].analog;
}

export function readValue(from: ByteReader, type: DataType): Value {
  return rows[type].read(from);
}

export function writeValue(to: ByteWriter, type: DataType, value: Value): void {
  rows[type].write(to, value);
}

export function readTyped(from: ByteReader): Typed {
  const type = typeOf(from.uint8());
  return { type, value: readValue(from, type) };
}

export function writeTyped(to: ByteWriter, { type, value }: Typed): void {
  to.uint8(typeId(type));
  writeValue(to, type, value);
}

function nullIf(
  number: number,
  invalid?: number,
  otherwise: (number: number) => Value = (same) => same,
): Value {
  return number === invalid ? null : otherwise(number);
}

/** Reads elements. Each takes at least an octet (unless it has no type), so a wrong count cannot exceed the frame. */
function elements(count: number, one: () => Typed): readonly Typed[] {
  const found: Typed[] = [];
  for (let at = 0; at < count; at++) found.push(one());
  return found;
}
