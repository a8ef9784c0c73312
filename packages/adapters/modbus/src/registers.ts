/** The number formats in 16-bit registers. */
export type NumberType = "u16" | "s16" | "u32" | "s32" | "f32" | "u64" | "s64" | "f64";

/**
 * How a number is spread over registers. The protocol only fixes that a register travels high byte first
 * (application protocol v1.1b3, 4.2); makers choose the rest. `wordOrder` big: the first register is the most
 * significant. `byteOrder` little: the bytes within each register are swapped.
 */
export interface NumberFormat {
  readonly type: NumberType;
  readonly wordOrder: "big" | "little";
  readonly byteOrder: "big" | "little";
}

interface Layout {
  readonly registers: 1 | 2 | 4;
  /** For integers: the values that fit, limited to those that a JavaScript number holds exactly. */
  readonly range?: readonly [least: number, most: number];
  readonly read: (view: DataView) => number | bigint;
  readonly write: (view: DataView, value: number) => void;
}

const exact = Number.MAX_SAFE_INTEGER;

const layouts: Readonly<Record<NumberType, Layout>> = {
  u16: { registers: 1, range: [0, 0xffff], read: (v) => v.getUint16(0), write: (v, n) => v.setUint16(0, n) },
  s16: {
    registers: 1,
    range: [-0x8000, 0x7fff],
    read: (v) => v.getInt16(0),
    write: (v, n) => v.setInt16(0, n),
  },
  u32: {
    registers: 2,
    range: [0, 2 ** 32 - 1],
    read: (v) => v.getUint32(0),
    write: (v, n) => v.setUint32(0, n),
  },
  s32: {
    registers: 2,
    range: [-(2 ** 31), 2 ** 31 - 1],
    read: (v) => v.getInt32(0),
    write: (v, n) => v.setInt32(0, n),
  },
  u64: {
    registers: 4,
    range: [0, exact],
    read: (v) => v.getBigUint64(0),
    write: (v, n) => v.setBigUint64(0, BigInt(n)),
  },
  s64: {
    registers: 4,
    range: [-exact, exact],
    read: (v) => v.getBigInt64(0),
    write: (v, n) => v.setBigInt64(0, BigInt(n)),
  },
  f32: { registers: 2, read: (v) => v.getFloat32(0), write: (v, n) => v.setFloat32(0, n) },
  f64: { registers: 4, read: (v) => v.getFloat64(0), write: (v, n) => v.setFloat64(0, n) },
};

export const numberTypes = Object.keys(layouts) as readonly NumberType[];

/** Returns how many registers a number of this type takes. */
export const registerCount = (type: NumberType): number => layouts[type].registers;

export const isInteger = (type: NumberType): boolean => layouts[type].range !== undefined;

/**
 * Decodes a number.
 * @param words the type's registers, each 0..65535.
 * @throws RangeError when the registers hold NaN, an infinity or an integer beyond 2^53.
 */
export function decodeNumber(words: readonly number[], format: NumberFormat): number {
  const layout = layouts[format.type];
  if (words.length !== layout.registers)
    throw new RangeError(`${format.type} takes ${layout.registers} registers, not ${words.length}`);
  const raw = layout.read(viewOf(words, format));
  const value = Number(raw);
  if (!Number.isFinite(value)) throw new RangeError(`the registers hold ${value}, which is not a number`);
  if (typeof raw === "bigint" && !Number.isSafeInteger(value))
    throw new RangeError(`${raw} is too large to be held exactly`);
  return format.type === "f32" ? shortestFloat32(value) : value;
}

/**
 * Encodes a number.
 * @returns the registers in the order in which they are sent.
 * @throws RangeError when the type cannot hold the value; integers are not rounded.
 */
export function encodeNumber(value: number, format: NumberFormat): number[] {
  const { type } = format;
  const { range, registers, write } = layouts[type];
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a number`);
  if (range !== undefined && (!Number.isInteger(value) || value < range[0] || value > range[1])) {
    throw new RangeError(`${value} does not fit ${type}: an integer from ${range[0]} to ${range[1]}`);
  }
  if (type === "f32" && !Number.isFinite(Math.fround(value)))
    throw new RangeError(`${value} does not fit f32`);
  const view = new DataView(new ArrayBuffer(registers * 2));
  write(view, value);
  const words = Array.from({ length: registers }, (_, index) => view.getUint16(index * 2));
  return inOrder(words, format);
}

function viewOf(words: readonly number[], format: NumberFormat): DataView {
  const view = new DataView(new ArrayBuffer(words.length * 2));
  for (const [index, word] of inOrder(words, format).entries()) view.setUint16(index * 2, word);
  return view;
}

/**
 * Converts between big order and the format's order, in either direction: both swaps are their own inverse.
 */
function inOrder(words: readonly number[], format: NumberFormat): number[] {
  const swapped =
    format.byteOrder === "little" ? words.map((word) => ((word & 0xff) << 8) | (word >> 8)) : [...words];
  return format.wordOrder === "little" ? swapped.toReversed() : swapped;
}

/** Returns the shortest decimal of a 32-bit float: 21.3, not 21.299999237060547. */
function shortestFloat32(value: number): number {
  // The conversion to text would lose the sign of -0.
  if (value === 0) return value;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}
