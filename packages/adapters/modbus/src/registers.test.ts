import assert from "node:assert/strict";
import { test } from "node:test";
import type { NumberType } from "./registers.ts";
import { decodeNumber, encodeNumber } from "./registers.ts";

type Order = "big" | "little";

// Registers from device manuals, or computed by hand from IEEE 754.
const readings: readonly [
  type: NumberType,
  words: Order,
  bytes: Order,
  registers: number[],
  value: number,
][] = [
  ["u16", "big", "big", [0xfffe], 65_534],
  ["u16", "big", "little", [0x1234], 0x3412],
  ["s16", "big", "big", [0xfffe], -2],
  ["s16", "big", "big", [0x8000], -32_768],
  ["u32", "big", "big", [0x0001, 0x0002], 65_538],
  ["u32", "little", "big", [0x0001, 0x0002], 131_073],
  ["u32", "big", "little", [0x0100, 0x0200], 65_538],
  ["u32", "little", "little", [0x0200, 0x0100], 65_538],
  ["s32", "big", "big", [0xffff, 0xfffe], -2],
  ["s32", "little", "big", [0xfffe, 0xffff], -2],
  ["f32", "big", "big", [0x41aa, 0x6666], 21.3],
  ["f32", "little", "big", [0x6666, 0x41aa], 21.3],
  ["f32", "big", "little", [0xaa41, 0x6666], 21.3],
  ["f32", "big", "big", [0xc2f6, 0xe979], -123.456],
  ["u64", "big", "big", [0, 0, 0x0001, 0x0002], 65_538],
  ["u64", "little", "big", [0x0002, 0x0001, 0, 0], 65_538],
  ["s64", "big", "big", [0xffff, 0xffff, 0xffff, 0xfffe], -2],
  ["f64", "big", "big", [0x405e, 0xdd2f, 0x1a9f, 0xbe77], 123.456],
  ["f64", "little", "big", [0xbe77, 0x1a9f, 0xdd2f, 0x405e], 123.456],
];

for (const [type, wordOrder, byteOrder, registers, value] of readings) {
  const hex = registers.map((word) => word.toString(16).padStart(4, "0")).join(" ");
  test(`decodes ${hex} as ${type}, words ${wordOrder}, bytes ${byteOrder}, to ${value} and back`, () => {
    assert.equal(decodeNumber(registers, { type, wordOrder, byteOrder }), value);
    assert.deepEqual(encodeNumber(value, { type, wordOrder, byteOrder }), registers);
  });
}

const plain = (type: NumberType): { type: NumberType; wordOrder: Order; byteOrder: Order } => {
  return { type, wordOrder: "big", byteOrder: "big" };
};

const noNumbers: readonly [NumberType, number[], RegExp][] = [
  ["f32", [0x7fc0, 0], /hold NaN/],
  ["f32", [0x7f80, 0], /hold Infinity/],
  ["f32", [0xff80, 0], /hold -Infinity/],
  ["f64", [0x7ff8, 0, 0, 0], /hold NaN/],
  ["u64", [0x0020, 0, 0, 0], /9007199254740992 is too large/],
  ["s64", [0x8000, 0, 0, 0], /-9223372036854775808 is too large/],
  ["u32", [1], /u32 takes 2 registers, not 1/],
];

for (const [type, registers, message] of noNumbers) {
  test(`refuses ${type} from ${registers.length} registers: ${message.source}`, () => {
    assert.throws(() => decodeNumber(registers, plain(type)), { name: "RangeError", message });
  });
}

const misfits: readonly [NumberType, number][] = [
  ["u16", -1],
  ["u16", 65_536],
  ["u16", 1.5],
  ["s16", 32_768],
  ["s16", -32_769],
  ["u32", 2 ** 32],
  ["s32", -(2 ** 31) - 1],
  ["u64", 2 ** 53],
  ["s64", -(2 ** 53)],
  ["f32", 1e39],
  ["f64", Number.NaN],
  ["f64", Number.POSITIVE_INFINITY],
];

for (const [type, value] of misfits) {
  test(`refuses ${value} for ${type}`, () => {
    assert.throws(() => encodeNumber(value, plain(type)), { name: "RangeError" });
  });
}
