import assert from "node:assert/strict";
import test from "node:test";
import { ConfigurationItem, itemsProblem } from "@ledge/model";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { exposesOf } from "./expose.ts";
import { featuresOf } from "./features.ts";
import { settingsOf } from "./settings.ts";

const said = 1;
const settable = 3;
const numeric = (name: string, unit?: string, access = said) => ({
  type: "numeric",
  name,
  property: name,
  access,
  unit,
});
const binary = (name: string, on: unknown = true, off: unknown = false, access = said) => ({
  type: "binary",
  name,
  property: name,
  access,
  value_on: on,
  value_off: off,
});

/** An expose, a value, the attributes that it reads as, and the value that is written back for them. */
type Row = readonly [expose: unknown, value: unknown, attributes: object, back?: unknown];

const rows: readonly Row[] = [
  [numeric("temperature", "°C"), 21.5, { temperature: 21.5 }],
  [numeric("temperature", "°F"), 70, {}],
  [numeric("humidity", "%"), 101, {}],
  [numeric("pressure", "hPa"), 1013.2, { pressure: 101_320 }],
  [numeric("pressure", "kPa"), 101.3, { pressure: 101_300 }],
  [numeric("illuminance", "lx"), 120, { lux: 120 }],
  [numeric("voc", "ppb"), 250, { vocPpm: 0.25 }],
  [numeric("voc", "mg/m³"), 250, {}],
  [numeric("voltage", "mV"), 2995, { batteryV: 2.995 }],
  // A voltage in V is the mains voltage.
  [numeric("voltage", "V"), 230, {}],
  [numeric("power", "W"), 60, { activePower: 60, power: 60 }],
  [numeric("energy", "kWh"), 1.25, { totalPower: 1.25 }],
  [numeric("battery", "%"), Number.NaN, {}],
  [numeric("battery", "%"), "80", {}],
  [binary("contact", false, true), false, { open: true }],
  [binary("contact", false, true), true, { open: false }],
  [binary("contact"), true, { open: false }],
  [binary("water_leak"), true, { moisture: true }],
  [binary("smoke"), "yes", {}],
  [binary("gas"), true, { coDetected: true }],
  [binary("vibration"), true, { motion: true }],
  [binary("tamper"), true, { tamper: true }],
  [binary("alarm", "ON", "OFF", settable), "ON", { isOn: true, sirenOn: true }, "ON"],
  [{ type: "switch", features: [binary("state", "ON", "OFF", 7)] }, "OFF", { isOn: false }, "OFF"],
  [
    { type: "lock", features: [binary("state", "LOCK", "UNLOCK", settable)] },
    "LOCK",
    { locked: true },
    "LOCK",
  ],
  [{ type: "cover", features: [numeric("position", "%", 7)] }, 30, { position: 0.3, liftPct: 30 }, 30],
  [
    {
      type: "cover",
      features: [
        {
          type: "enum",
          name: "state",
          property: "state",
          access: settable,
          values: ["OPEN", "CLOSE", "STOP"],
        },
      ],
    },
    "OPEN",
    { position: 1, liftPct: 100 },
    "OPEN",
  ],
  [
    {
      type: "climate",
      features: [{ ...numeric("current_heating_setpoint", "°C", 7), value_min: 5, value_max: 30 }],
    },
    21.5,
    { targetTemp: 21.5, targetTemperature: 21.5 },
    21.5,
  ],
  [
    {
      type: "climate",
      features: [
        {
          type: "enum",
          name: "system_mode",
          property: "system_mode",
          access: 7,
          values: ["off", "heat", "auto"],
        },
      ],
    },
    "heat",
    { mode: 2 },
    "heat",
  ],
  [
    {
      type: "climate",
      features: [
        {
          type: "enum",
          name: "running_state",
          property: "running_state",
          access: said,
          values: ["idle", "heat"],
        },
      ],
    },
    "heat",
    { heatingDemand: 1 },
  ],
  [
    {
      type: "fan",
      features: [
        { type: "enum", name: "mode", property: "fan_mode", access: 7, values: ["off", "low", "auto"] },
      ],
    },
    "auto",
    { fanMode: 5 },
    "auto",
  ],
  [
    { type: "light", features: [{ ...numeric("brightness", undefined, 7), value_max: 254 }] },
    128,
    { brightness: 127 / 253 },
    128,
  ],
  [
    { type: "light", features: [{ ...numeric("color_temp", "mired", 7), value_min: 153, value_max: 500 }] },
    400,
    { colorMode: "ct", hue: -1, saturation: -1, temperature: 2500 },
    400,
  ],
];

for (const [expose, value, attributes, back] of rows) {
  const [shown] = exposesOf([expose]);
  test(`maps ${shown?.name} ${shown?.unit ?? ""} ${String(value)}`, () => {
    const { features } = featuresOf(exposesOf([expose]));
    const read = Object.assign(
      {},
      ...features.map((feature) => feature.read(value, { before: {}, told: {} })),
    ) as object;
    assert.deepEqual(read, attributes);
    assert.deepEqual(features[0]?.write?.(read as Record<string, unknown>, {}), back);
  });
}

test("clips a setpoint to its range and refuses a mode that the device does not offer", () => {
  const climate = {
    type: "climate",
    features: [
      { ...numeric("occupied_heating_setpoint", "°C", 7), value_min: 5, value_max: 30 },
      { type: "enum", name: "system_mode", property: "system_mode", access: 7, values: ["off", "heat"] },
    ],
  };
  const [setpoint, mode] = featuresOf(exposesOf([climate])).features;
  assert.equal(setpoint?.write?.({ targetTemp: 99 }, {}), 30);
  assert.equal(mode?.write?.({ mode: 3 }, {}), undefined);
  assert.equal(mode?.write?.({ mode: 0 }, {}), "off");
});

test("sets a property without the name of its endpoint", () => {
  const { features } = featuresOf(
    exposesOf([
      {
        type: "switch",
        endpoint: "l2",
        features: [{ ...binary("state", "ON", "OFF", 7), property: "state_l2", endpoint: "l2" }],
      },
    ]),
  );
  const [{ property, key, endpoint } = { property: "", key: "", endpoint: "" }] = features;
  assert.deepEqual([property, key, endpoint], ["state_l2", "state", "l2"]);
});

test("turns properties into settings that can be set and read and have no attribute", () => {
  const { rest } = featuresOf(
    exposesOf([
      { ...binary("child_lock", "LOCK", "UNLOCK", settable), label: "Child lock" },
      { type: "switch", features: [{ ...binary("state", "ON", "OFF", settable), property: "auto_lock" }] },
      {
        ...numeric("sensitivity", "dB", settable),
        value_min: 1,
        value_max: 9,
        description: "How much it hears",
      },
      {
        type: "enum",
        name: "power_on_behavior",
        property: "power_on_behavior",
        access: 7,
        values: ["off", "previous"],
      },
      { type: "enum", name: "effect", property: "effect", access: 2, values: ["blink"] },
      numeric("trigger_count"),
    ]),
  );
  const settings = settingsOf(rest);
  assert.deepEqual(
    settings.map(({ item }) => [item.name, item.fieldType, item.label.en, item.minValue]),
    [
      ["child_lock", "BOOL", "Child lock", null],
      ["auto_lock", "BOOL", "Auto lock", null],
      ["sensitivity", "NUMBER", "sensitivity (dB)", 1],
      ["power_on_behavior", "OPTION", "power_on_behavior", null],
    ],
  );
  const [lock, , sensitivity, power] = settings;
  assert.deepEqual([lock?.from("LOCK"), lock?.from("X"), lock?.to(false)], [true, undefined, "UNLOCK"]);
  assert.deepEqual([sensitivity?.from(5), sensitivity?.from(10)], [5, undefined]);
  assert.deepEqual(
    [power?.from("previous"), power?.from("sleep"), power?.to("off")],
    ["previous", undefined, "off"],
  );
});

test("turns any exposes into valid features and settings", () => {
  const anything = fc.oneof(
    fc.anything(),
    fc.constantFrom("state", "ON", 1, 7, Infinity, "°C", "switch", "numeric", "enum"),
  );
  const keys = [
    "type",
    "name",
    "property",
    "access",
    "unit",
    "values",
    "features",
    "value_on",
    "value_min",
    "value_max",
    "label",
    "description",
    "endpoint",
  ];
  const { expose } = fc.letrec<{ expose: unknown }>((tie) => ({
    expose: fc.dictionary(
      fc.constantFrom(...keys),
      fc.oneof({ maxDepth: 2 }, anything, fc.array(tie("expose"), { maxLength: 3 })),
    ),
  }));
  const items = Compile(ConfigurationItem);
  fc.assert(
    fc.property(fc.array(expose, { maxLength: 5 }), fc.anything(), (exposes, value) => {
      const { features, rest } = featuresOf(exposesOf(exposes));
      for (const { read } of features) read(value, { before: {}, told: {} });
      const settings = settingsOf(rest).map(({ item }) => item);
      assert.equal(itemsProblem(settings), undefined);
      for (const item of settings) assert.ok(items.Check(item), JSON.stringify(item));
    }),
    { numRuns: 200 },
  );
});
