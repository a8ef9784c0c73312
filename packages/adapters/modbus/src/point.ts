import type { AttributeName } from "@ledge/model";
import type { ValueRange } from "./map.ts";
import type { NumberFormat } from "./registers.ts";
import { decodeNumber, encodeNumber, isInteger } from "./registers.ts";
import type { Conversion } from "./units.ts";

/** The four tables of a device (application protocol v1.1b3, 4.3). */
export type Table = "coil" | "discrete" | "holding" | "input";
export type Value = number | boolean;

/** One attribute and the registers that hold it. */
export interface Point {
  readonly attribute: AttributeName;
  readonly table: Table;
  readonly register: number;
  /** The number of registers, or of bits in the tables coil and discrete. */
  readonly count: number;
  readonly writable: boolean;
  /** The change, in the hub's unit, that makes a number worth a report. */
  readonly minChange: number;
  readonly coding: BooleanCoding | NumberCoding;
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
  const raw = decodeNumber(words, coding.format);
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
    return [value === coding.inverted ? 0 : 1];
  }
  if (typeof value !== "number") throw new RangeError(`${String(value)} is not a number`);
  const { format, scale, offset, unit, range } = coding;
  const raw = ((inRange(value, range) - unit.offset) / unit.factor - offset) / scale;
  return encodeNumber(isInteger(format.type) ? Math.round(raw) : raw, format);
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
