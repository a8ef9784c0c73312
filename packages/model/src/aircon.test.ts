import assert from "node:assert/strict";
import { test } from "node:test";
import { airconPumps } from "./aircon.ts";
import { describedExtras, type ExtraValue, withShown } from "./extra.ts";

/** The extras of a device that has shown values. */
function extrasOf(values: Readonly<Record<string, ExtraValue | null>>): Parameters<typeof airconPumps>[0] {
  const types = { boolean: "BOOL", number: "NUMBER", string: "TEXT", object: "BOOL" } as const;
  const described = Object.entries(values).map(([name, value]) => ({
    name,
    fieldType: types[typeof value as keyof typeof types],
    unit: null,
    writable: false,
  }));
  const state = { extras: describedExtras(described, undefined) };
  const shown = Object.entries(values).filter(([, value]) => value !== null);
  return withShown(state, Object.fromEntries(shown.map(([name, value]) => [`extras.${name}`, value])))[
    "extras"
  ] as Parameters<typeof airconPumps>[0];
}

test("the pumps of an air conditioner are its extras of that name", () => {
  const shown = extrasOf({
    "pump.hot_water": true,
    "pump.hot_water.error": "no flow",
    "pump.brine": false,
    "pump.brine.error": 0,
    "pump.condensate": "run",
    "pump.condensate.error": true,
    "pump.late": null,
    "pump.2": "off",
    "pump.2.error": "ok",
    pump: true,
    other: 5,
  });
  const told = airconPumps(shown)?.map(({ id, name, isOn, error }) => [id, name, isOn, error]);
  assert.deepEqual(told, [
    ["hot_water", "Hot water", true, "no flow"],
    ["brine", "Brine", false, null],
    ["condensate", "Condensate", true, "fault"],
    ["late", "Late", false, null],
    ["2", "2", false, null],
  ]);
});

test("a device without such extras shows no pumps", () => {
  assert.equal(airconPumps(undefined), undefined);
  assert.equal(airconPumps(extrasOf({ other: 5, "pump.a.error": "x" })), undefined);
});
