import type { ValueRange } from "./map.ts";
import type { NumberFormat } from "./registers.ts";
import { decodeNumber, encodeNumber, isInteger } from "./registers.ts";
import type { Conversion } from "./units.ts";

/** The four tables of a device (application protocol v1.1b3, 4.3). */
export type Table = "coil" | "discrete" | "holding" | "input";
export type Value = number | boolean | string;

/** One attribute and the registers that hold it. */
export interface Point {
  /** An attribute of the model, or `extras.<name>`. */
  readonly attribute: string;
  readonly table: Table;
  readonly register: number;
  /** The number of registers, or of bits in the tables coil and discrete. */
  readonly count: number;
  readonly writable: boolean;
  /** Where it is written, if elsewhere than where it is read. */
  readonly write?: { readonly table: Table; readonly register: number; readonly coding: Coding };
  /** How often it is read. */
  readonly pollMs: number;
  /** The change, in the hub's unit, that makes a number worth a report. */
  readonly minChange: number;
  readonly coding: Coding;
}

export type Coding = BooleanCoding | NumberCoding | ChoiceCoding | TextCoding;

/** Adjacent bits of a register; bit 0 is the least significant. */
export interface Bits {
  readonly bit: number;
  readonly width: number;
}

/** A boolean: a coil or discrete input, one bit of a register, or a register that is not 0. */
export interface BooleanCoding {
  readonly kind: "boolean";
  readonly bit: number | undefined;
  readonly inverted: boolean;
}

/** value = number * scale + offset in the device's unit, then converted to the hub's. */
export interface NumberCoding {
  readonly kind: "number";
  readonly format: NumberFormat;
  readonly scale: number;
  readonly offset: number;
  readonly unit: Conversion;
  readonly range: ValueRange;
  /** Numbers, before scale, that mean "no reading". */
  readonly noValue: readonly number[];
  readonly bits: Bits | undefined;
}

/** One of several values, each behind a number. */
export interface ChoiceCoding {
  readonly kind: "choice";
  readonly format: NumberFormat;
  readonly values: ReadonlyMap<number, Value>;
  readonly bits: Bits | undefined;
}

/** A text of two characters a register, filled up with zeros or blanks. */
export interface TextCoding {
  readonly kind: "text";
  readonly registers: number;
  readonly byteOrder: NumberFormat["byteOrder"];
}

/**
 * Decodes a point.
 * @param words the point's registers in the order of the answer; bits as 0 or 1.
 * @returns the value in the hub's unit; undefined when the device has no reading.
 * @throws RangeError when the registers hold no valid value of the attribute.
 */
export function decodePoint(
  { coding, count }: Pick<Point, "coding" | "count">,
  words: readonly number[],
): Value | undefined {
  if (coding.kind === "boolean") {
    const [word] = words;
    if (word === undefined || words.length !== count)
      throw new RangeError(`${words.length} registers instead of ${count}`);
    const set = coding.bit === undefined ? word !== 0 : ((word >> coding.bit) & 1) === 1;
    return set !== coding.inverted;
  }
  if (coding.kind === "text") return decodeText(words, coding);
  const raw = bitsOf(decodeNumber(words, coding.format), coding.bits);
  if (coding.kind === "choice") {
    const value = coding.values.get(raw);
    if (value === undefined) throw new RangeError(`${raw} is none of its options`);
    return value;
  }
  if (coding.noValue.includes(raw)) return undefined;
  const { scale, offset, unit, range } = coding;
  const identical = scale === 1 && offset === 0 && unit.factor === 1 && unit.offset === 0;
  return inRange(identical ? raw : rounded((raw * scale + offset) * unit.factor + unit.offset, raw), range);
}

/**
 * Encodes a value for a point.
 * @returns the registers in the order in which they are written; bits as 0 or 1.
 * @throws RangeError when the value is invalid for the attribute or does not fit the registers.
 */
export function encodePoint({ coding }: Pick<Point, "coding">, value: unknown): number[] {
  if (coding.kind === "boolean") {
    if (typeof value !== "boolean") throw new RangeError(`${String(value)} is not true or false`);
    return [value === coding.inverted ? 0 : 1 << (coding.bit ?? 0)];
  }
  if (coding.kind === "text") return encodeText(value, coding);
  if (coding.kind === "choice") {
    for (const [raw, each] of coding.values) if (each === value) return placed(raw, coding);
    throw new RangeError(`${String(value)} is not one of ${[...coding.values.values()].join(", ")}`);
  }
  if (typeof value !== "number") throw new RangeError(`${String(value)} is not a number`);
  const { format, scale, offset, unit, range } = coding;
  const raw = ((inRange(value, range) - unit.offset) / unit.factor - offset) / scale;
  return placed(isInteger(format.type) ? Math.round(raw) : raw, coding);
}

/** Which bits of a register a point has to itself; undefined: all. The others stay as they are when it is written. */
export function ownBits({ coding }: Pick<Point, "coding">): number | undefined {
  if (coding.kind === "text") return undefined;
  if (coding.kind === "boolean") return coding.bit === undefined ? undefined : 1 << coding.bit;
  return coding.bits === undefined ? undefined : maskOf(coding.bits);
}

const maskOf = ({ bit, width }: Bits): number => (2 ** width - 1) << bit;

function bitsOf(raw: number, bits: Bits | undefined): number {
  return bits === undefined ? raw : (raw & maskOf(bits)) >>> bits.bit;
}

function placed(raw: number, { format, bits }: Pick<NumberCoding, "format" | "bits">): number[] {
  if (bits === undefined) return encodeNumber(raw, format);
  if (raw < 0 || raw >= 2 ** bits.width) throw new RangeError(`${raw} does not fit ${bits.width} bits`);
  return encodeNumber(raw << bits.bit, format);
}

function decodeText(words: readonly number[], { registers, byteOrder }: TextCoding): string {
  if (words.length !== registers) throw new RangeError(`${words.length} registers instead of ${registers}`);
  const bytes = words.flatMap((word) => {
    const [high, low] = [word >> 8, word & 0xff];
    return byteOrder === "big" ? [high, low] : [low, high];
  });
  const end = bytes.indexOf(0);
  const text = Buffer.from(end < 0 ? bytes : bytes.slice(0, end)).toString("latin1");
  return text.replaceAll(/[^ -~\u00a1-\u00ff]/g, " ").trim();
}

function encodeText(value: unknown, { registers, byteOrder }: TextCoding): number[] {
  if (typeof value !== "string" || /[^ -~\u00a1-\u00ff]/.test(value))
    throw new RangeError(`${String(value)} is not a text of Latin letters`);
  const bytes = Buffer.from(value, "latin1");
  if (bytes.length > registers * 2)
    throw new RangeError(`${bytes.length} characters do not fit ${registers} registers`);
  return Array.from({ length: registers }, (_, index) => {
    const [first = 0, second = 0] = bytes.subarray(index * 2, index * 2 + 2);
    return byteOrder === "big" ? (first << 8) | second : (second << 8) | first;
  });
}

/**
 * Drops the digits that binary fractions add, so that 3 * 0.1 is 0.3, but keeps enough to encode the same
 * registers.
 */
function rounded(value: number, raw: number): number {
  return Number(value.toPrecision(Math.abs(raw) < 1e9 ? 12 : 15));
}

function inRange(value: number, { least, most, integer }: ValueRange): number {
  if (!(value >= least && value <= most)) throw new RangeError(`${value} is not within ${least} to ${most}`);
  if (integer && !Number.isInteger(value)) throw new RangeError(`${value} is not an integer`);
  // Turns -0 into 0.
  return value + 0;
}
