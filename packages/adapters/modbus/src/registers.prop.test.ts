import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { NumberFormat, NumberType } from "./registers.ts";
import { decodeNumber, encodeNumber, numberTypes, registerCount } from "./registers.ts";

const orders = fc.constantFrom<"big" | "little">("big", "little");
const word = fc.integer({ min: 0, max: 0xffff });
const formats = (type: NumberType): fc.Arbitrary<NumberFormat> =>
  fc.record({ type: fc.constant(type), wordOrder: orders, byteOrder: orders });
const wordsOf = (type: NumberType): fc.Arbitrary<number[]> =>
  fc.array(word, { minLength: registerCount(type), maxLength: registerCount(type) });

for (const type of numberTypes) {
  test(`${type}: encodes a decoded number to the same registers, in every order`, () => {
    fc.assert(
      fc.property(formats(type), wordsOf(type), (format, words) => {
        const value = numberIn(words, format);
        if (value === undefined) return;
        assert.deepEqual(encodeNumber(value, format), words);
      }),
    );
  });

  test(`${type}: decodes an encoded number unchanged`, () => {
    const value = type.startsWith("f")
      ? fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .map((number) => (type === "f32" ? Math.fround(number) : number))
      : fc.maxSafeInteger();
    fc.assert(
      fc.property(formats(type), value, (format, number) => {
        const words = registersOf(number, format);
        if (words === undefined) return;
        assert.equal(words.length, registerCount(type));
        assert.ok(
          words.every((register) => Number.isInteger(register) && register >= 0 && register <= 0xffff),
        );
        const read = decodeNumber(words, format);
        assert.equal(type === "f32" ? Math.fround(read) : read, number);
      }),
    );
  });
}

/** Undefined for registers that are refused: NaN, infinities and integers beyond 2^53. */
function numberIn(words: readonly number[], format: NumberFormat): number | undefined {
  try {
    return decodeNumber(words, format);
  } catch (error) {
    assert.ok(error instanceof RangeError);
    assert.ok(!["u16", "s16", "u32", "s32"].includes(format.type), error.message);
    return undefined;
  }
}

function registersOf(value: number, format: NumberFormat): number[] | undefined {
  try {
    return encodeNumber(value, format);
  } catch (error) {
    assert.ok(error instanceof RangeError);
    return undefined;
  }
}
