import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { colourAt, colourIn, colourOf, hexOf, placeOf, turnedBy } from "./colour.ts";

const third = 2.094;

const hexes: readonly [hue: number, saturation: number, hex: string][] = [
  [0, 1, "#ff0000"],
  [third, 1, "#00ff00"],
  [2 * third, 1, "#0000ff"],
  [third / 2, 1, "#ffff00"],
  [0, 0.5, "#ff8080"],
  [0, 0, "#ffffff"],
];
for (const [hue, saturation, hex] of hexes) {
  test(`hue ${hue} with saturation ${saturation} is ${hex}, and back`, () => {
    assert.equal(hexOf({ hue, saturation }), hex);
    const back = colourIn(hex.toUpperCase());
    assert.ok(back);
    assert.ok(Math.abs(back.hue - hue) < 0.01 && Math.abs(back.saturation - saturation) < 0.01, hex);
  });
}

describe("the wheel of colours", () => {
  test("has red at the top, green and blue below, white in the middle, and ends at its rim", () => {
    assert.deepEqual(colourAt(0, -1), { hue: 0, saturation: 1 });
    assert.deepEqual(colourAt(0, -9), { hue: 0, saturation: 1 });
    assert.equal(colourAt(0, 0).saturation, 0);
    assert.equal(hexOf(colourAt(Math.sin(third), -Math.cos(third))), "#00ff00");
  });

  test("shows each colour where a press there chooses it", () => {
    for (let hue = 0; hue < 6.28; hue += 0.21) {
      for (const saturation of [0.05, 0.4, 1]) {
        const { x, y } = placeOf({ hue, saturation });
        const found = colourAt(x, y);
        // The end of the wheel is its beginning.
        const apart = Math.abs(found.hue - hue);
        assert.ok(Math.min(apart, 2 * Math.PI - apart) < 0.002, `${hue}: ${found.hue}`);
        assert.ok(Math.abs(found.saturation - saturation) < 0.001, `${saturation}: ${found.saturation}`);
      }
    }
  });

  test("turns by keys around its end, and stops at white and at the rim", () => {
    const red = { hue: 0, saturation: 1 };
    assert.deepEqual(turnedBy("ArrowRight", red), { hue: 0.087, saturation: 1 });
    assert.deepEqual(turnedBy("ArrowLeft", red), { hue: 6.196, saturation: 1 });
    assert.deepEqual(turnedBy("PageUp", red), { hue: 0.524, saturation: 1 });
    assert.deepEqual(turnedBy("ArrowDown", red), { hue: 0, saturation: 0.95 });
    assert.deepEqual(turnedBy("ArrowUp", red), red);
    assert.deepEqual(turnedBy("ArrowDown", { hue: 1, saturation: 0.02 }), { hue: 1, saturation: 0 });
    assert.equal(turnedBy("Enter", red), undefined);
  });
});

test("a lamp that shows a white has no colour, and one of unknown saturation a full one", () => {
  assert.equal(colourOf({ hue: -1, saturation: -1 }), undefined);
  assert.equal(colourOf({}), undefined);
  assert.deepEqual(colourOf({ hue: 1 }), { hue: 1, saturation: 1 });
  assert.deepEqual(colourOf({ hue: 7, saturation: 0.5 }), { hue: 0.717, saturation: 0.5 });
});

for (const text of ["", "red", "#fff", "#gggggg", "#ff00000"]) {
  test(`"${text}" is no colour`, () => assert.equal(colourIn(text), undefined));
}
