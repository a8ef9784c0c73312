import assert from "node:assert/strict";
import { test } from "node:test";
import { type Extra, extrasOf, titleOf, typedFor } from "./extras.ts";

const plain = { name: "x", unit: null, writable: true, value: null } as const;
const boost: Extra = { ...plain, fieldType: "NUMBER", minValue: 0, maxValue: 60 };

test("has the extras of a device, and none of one without", () => {
  assert.deepEqual(extrasOf({ state: { extras: { x: boost } } }), [boost]);
  assert.deepEqual(extrasOf({ state: {} }), []);
  assert.deepEqual(extrasOf({ state: { extras: null } }), []);
});

for (const [name, title] of [
  ["pump.condensate.error", "Pump condensate error"],
  ["x_axis", "X axis"],
  ["swingMode", "Swing mode"],
  ["scene", "Scene"],
] as const)
  test(`calls ${name} ${title}`, () => assert.equal(titleOf({ name }), title));

test("takes what the device takes, and nothing else", () => {
  const typed = (extra: Extra, ...texts: readonly string[]) => texts.map((text) => typedFor(extra, text));
  assert.deepEqual(typed(boost, "0", "60", "1,5", "-1", "61", "", "x"), [
    0,
    60,
    1.5,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  const scenes: Extra = { ...plain, fieldType: "OPTION", options: ["Relax", 2] };
  assert.deepEqual(typed(scenes, "Relax", "2", "Read"), ["Relax", 2, undefined]);
  assert.deepEqual(typed({ ...plain, fieldType: "BOOL" }, "true", "false", "1"), [true, false, undefined]);
  assert.deepEqual(typed({ ...plain, fieldType: "TEXT" }, "", "a"), ["", "a"]);
});
