import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { chromaticityOf, hueSaturationOf } from "./color.ts";

/** Chromaticities of sRGB (IEC 61966-2-1): its primaries and its white. */
const known = [
  ["red", 0, 1, 0.64, 0.33],
  ["green", (2 * Math.PI) / 3, 1, 0.3, 0.6],
  ["blue", (4 * Math.PI) / 3, 1, 0.15, 0.06],
  ["white", 0, 0, 0.3127, 0.329],
] as const;

for (const [name, hue, saturation, x, y] of known) {
  test(`converts ${name} to its known chromaticity`, () => {
    const found = chromaticityOf({ hue, saturation });
    assert.ok(Math.abs(found.x - x) < 0.0005 && Math.abs(found.y - y) < 0.0005, JSON.stringify(found));
  });
}

test("a colour survives the conversion to steps of 1/65,536 and back", () => {
  const colour = fc.record({
    hue: fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
    saturation: fc.double({ min: 0.05, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(colour, (was) => {
      const { x, y } = chromaticityOf(was);
      const is = hueSaturationOf({ x: Math.round(x * 65_536) / 65_536, y: Math.round(y * 65_536) / 65_536 });
      assert.ok(is);
      const turn = Math.abs(is.hue - was.hue);
      // For a pale colour, two steps are a larger angle on the wheel.
      assert.ok(Math.min(turn, 2 * Math.PI - turn) < 0.03 / was.saturation, `${was.hue} is ${is.hue}`);
      assert.ok(Math.abs(is.saturation - was.saturation) < 0.01, `${was.saturation} is ${is.saturation}`);
    }),
  );
});

test("refuses impossible colours and clips others to the nearest that a lamp can show", () => {
  for (const [x, y] of [
    [0.5, 0],
    [-0.1, 0.5],
    [0.8, 0.8],
    [Number.NaN, 0.3],
    [0.3, Infinity],
  ] as const)
    assert.equal(hueSaturationOf({ x, y }), undefined);
  const deep = hueSaturationOf({ x: 0.17, y: 0.7 });
  assert.ok(deep && deep.saturation === 1 && deep.hue > 2 && deep.hue < 3);
});
