import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { AttributeValues } from "@ledge/exposes";
import type { DeviceAction } from "./action.ts";
import { attributesOf } from "./attributes.ts";
import { framesFor } from "./frames.ts";
import type { ModelName } from "./test-models.ts";
import { models } from "./test-models.ts";
import type { Unit } from "./unit.ts";
import { unitsOf } from "./units.ts";

type Said = Record<string, Record<string, unknown>>;

/** Applies a frame to the attributes of a device that follows the standard. */
function obey(said: Said, action: DeviceAction): void {
  assert.ok(action.kind === "command" || action.kind === "write", action.kind);
  const of = (said[action.cluster] ??= {});
  if (action.kind === "write") {
    Object.assign(of, action.values);
    return;
  }
  const p = action.payload as Readonly<Record<string, number>>;
  const effects: Readonly<Record<string, () => object>> = {
    on: () => ({ onOff: 1 }),
    off: () => ({ onOff: 0 }),
    moveToLevel: () => ({ currentLevel: p["level"] }),
    moveToLevelWithOnOff: () => {
      (said["genOnOff"] ??= {})["onOff"] = 1;
      return { currentLevel: p["level"] };
    },
    moveToColorTemp: () => ({ colorMode: 2, colorTemperature: p["colortemp"] }),
    moveToColor: () => ({ colorMode: 1, currentX: p["colorx"], currentY: p["colory"] }),
    moveToHueAndSaturation: () => ({
      colorMode: 0,
      currentHue: p["hue"],
      currentSaturation: p["saturation"],
    }),
    enhancedMoveToHueAndSaturation: () => ({
      colorMode: 0,
      enhancedCurrentHue: p["enhancehue"],
      currentSaturation: p["saturation"],
    }),
    goToLiftPercentage: () => ({ currentPositionLiftPercentage: p["percentageliftvalue"] }),
    goToTiltPercentage: () => ({ currentPositionTiltPercentage: p["percentagetiltvalue"] }),
    lockDoor: () => ({ lockState: 1 }),
    unlockDoor: () => ({ lockState: 2 }),
  };
  const effect = effects[action.name];
  assert.ok(effect, `the test does not simulate ${action.name}`);
  Object.assign(of, effect());
}

/**
 * Commands a device and returns its attributes after its reports.
 * @param passing reports from on the way there
 */
function toldAndReported(unit: Unit, wanted: AttributeValues, passing: Said = {}): AttributeValues {
  const final: Said = {};
  for (const action of framesFor(unit, wanted, {})) obey(final, action);
  const shown: Record<string, unknown> = { ...wanted };
  for (const [cluster, data] of [...Object.entries(passing), ...Object.entries(final)]) {
    const endpoint = unit.served.find((each) => each.cluster === cluster)?.endpoint.id ?? 0;
    const message = { endpoint, cluster, type: "attributeReport", data };
    Object.assign(shown, attributesOf(unit, message, shown, {}, wanted));
  }
  return shown;
}

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const hue = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true });
const saturated = fc.record({ hue, saturation: fraction, colorMode: fc.constant("hs") });
/** Within the range of the lamps in these tests. */
const white = fc.record({
  temperature: fc.double({ min: 2210, max: 3990, noNaN: true }),
  colorMode: fc.constant("ct"),
});

const rows: readonly (readonly [ModelName, fc.Arbitrary<AttributeValues>])[] = [
  ["outlet", fc.record({ isOn: fc.boolean() })],
  ["dimmableLamp", fc.record({ isOn: fc.boolean(), brightness: fraction }, { requiredKeys: ["brightness"] })],
  ["whiteLamp", white],
  ["hueLamp", fc.oneof(saturated, white)],
  ["colorLamp", saturated],
  ["blind", fc.record({ position: fraction })],
  ["blind", fc.record({ liftPct: fc.double({ min: 0, max: 100, noNaN: true }) })],
  [
    "radiator",
    fc
      .record({
        targetTemperature: fc.double({ min: 5, max: 35, noNaN: true }),
        mode: fc.constantFrom(0, 1, 2),
      })
      .map((all) => ({ ...all, targetTemp: all.targetTemperature })),
  ],
  ["lock", fc.record({ locked: fc.boolean() })],
  ["purifier", fc.record({ fanMode: fc.integer({ min: 0, max: 6 }) })],
];

for (const [name, wanted] of rows) {
  test(`${name} reads back exactly what was written`, () => {
    const unit = unitsOf(models[name])[0] as Unit;
    fc.assert(
      fc.property(wanted, (want) => {
        const shown = toldAndReported(unit, want);
        for (const [attribute, value] of Object.entries(want))
          assert.equal(shown[attribute], value, attribute);
      }),
    );
  });
}

test("a lamp with hues only, plain or enhanced, reads back exactly what was written", () => {
  for (const colorCapabilities of [0x01, 0x03]) {
    const values = { lightingColorCtrl: { colorCapabilities } };
    const [endpoint] = models.hueLamp.endpoints;
    assert.ok(endpoint);
    const unit = unitsOf({ ...models.hueLamp, endpoints: [{ ...endpoint, values }] })[0] as Unit;
    fc.assert(
      fc.property(saturated, (want) => {
        const shown = toldAndReported(unit, want);
        assert.deepEqual([shown["hue"], shown["saturation"]], [want.hue, want.saturation]);
      }),
    );
  }
});

test("a lamp has its commanded values after a fade, whatever it reported on the way", () => {
  const unit = unitsOf(models.hueLamp)[0] as Unit;
  const passing = {
    genLevelCtrl: { currentLevel: 77 },
    lightingColorCtrl: { colorMode: 1, currentX: 30_000, currentY: 20_000 },
  };
  const want = fc.record({ brightness: fraction, hue, saturation: fraction, colorMode: fc.constant("hs") });
  fc.assert(
    fc.property(want, (wanted) => {
      assert.deepEqual(toldAndReported(unit, wanted, passing), { ...wanted, temperature: -1 });
    }),
  );
});

test("reports a value that the device changed by itself", () => {
  const unit = unitsOf(models.blind)[0] as Unit;
  const message = {
    endpoint: 1,
    cluster: "closuresWindowCovering",
    type: "attributeReport",
    data: { currentPositionLiftPercentage: 40 },
  };
  assert.deepEqual(attributesOf(unit, message, { position: 0.7, liftPct: 70 }), {
    position: 0.6,
    liftPct: 60,
  });
});
