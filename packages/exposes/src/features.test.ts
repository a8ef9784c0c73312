import assert from "node:assert/strict";
import test from "node:test";
import { ConfigurationItem, extrasProblem, itemsProblem } from "@ledge/model";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { exposesOf } from "./expose.ts";
import { extrasOf } from "./extras.ts";
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

const enumerated = (name: string, values: readonly string[], access = said) => ({
  type: "enum",
  name,
  property: name,
  access,
  values,
});

/** An expose, a value, the attributes that it reads as, and the value that is written back for them. */
type Row = readonly [expose: unknown, value: unknown, attributes: object, back?: unknown];

const rows: readonly Row[] = [
  [numeric("temperature", "°C"), 21.5, { temperature: 21.5 }],
  [numeric("temperature", "°F"), 70, {}],
  [numeric("humidity", "%"), 101, {}],
  [numeric("pressure", "hPa"), 1013.2, { pressure: 101_320 }],
  [numeric("pressure", "kPa"), 101.3, { pressure: 101_300 }],
  [numeric("pressure", "hPa"), 2.02e306, {}],
  [numeric("illuminance", "lx"), 120, { lux: 120 }],
  [numeric("voc", "ppb"), 250, { vocPpm: 0.25 }],
  [numeric("voc", "mg/m³"), 250, {}],
  [numeric("voltage", "mV"), 2995, { batteryV: 2.995 }],
  // A voltage in V is the mains voltage.
  [numeric("voltage", "V"), 230, { voltage: 230 }],
  [numeric("voltage_phase_b", "V"), 229.5, { voltageB: 229.5 }],
  [numeric("voltage_c", "V"), 231, { voltageC: 231 }],
  [numeric("mains_voltage", "V"), 230, { voltage: 230 }],
  [numeric("current", "A"), 0.25, { current: 0.25 }],
  [numeric("current_a", "mA"), 250, { currentA: 0.25 }],
  [numeric("ac_frequency", "Hz"), 49.98, { frequency: 49.98 }],
  [numeric("power_factor"), 0.98, { powerFactor: 0.98 }],
  [numeric("power_factor"), 98, { powerFactor: 0.98 }],
  [numeric("power_factor_a", "%"), 1, { powerFactorA: 0.01 }],
  [numeric("power_factor", "%"), 101, {}],
  [numeric("power_apparent", "VA"), 70, { apparentPower: 70 }],
  [numeric("power_reactive_phase_c", "VAR"), -3, { reactivePowerC: -3 }],
  [numeric("power_b", "kW"), 1.5, { powerB: 1500 }],
  [numeric("energy_phase_a", "Wh"), 1500, { energyA: 1.5 }],
  [numeric("produced_energy", "kWh"), 12, { producedEnergy: 12 }],
  [numeric("energy_produced_b", "kWh"), 12, { producedEnergyB: 12 }],
  [numeric("soil_moisture", "%"), 40, { soilMoisture: 40 }],
  [numeric("soil_moisture", "%"), 101, {}],
  [numeric("device_temperature", "°C"), 31, { deviceTemperature: 31 }],
  [numeric("pm10", "µg/m³"), 12, { pm10: 12 }],
  [numeric("formaldehyd", "mg/m³"), 0.05, { formaldehyde: 50 }],
  [numeric("hcho", "ppm"), 0.05, {}],
  [numeric("target_distance", "cm"), 150, { targetDistance: 1.5 }],
  [numeric("power_outage_count"), 3, { powerOutages: 3 }],
  [numeric("power_outage_count"), -1, {}],
  [numeric("uptime", "Hours"), 2, { uptime: 7200 }],
  [binary("window_open"), true, { windowOpen: true }],
  [enumerated("air_quality", ["good", "poor"]), "poor", { airQuality: "poor" }],
  [enumerated("air_quality", ["good", "poor"]), "fine", {}],
  [enumerated("effect", ["blink"], 2), "blink", { effect: "blink" }, "blink"],
  [{ ...numeric("gradient"), type: "list", access: 7 }, ["#FF0000"], { gradient: ["#FF0000"] }, ["#FF0000"]],
  [{ ...numeric("gradient"), type: "list", access: 7 }, ["red"], {}],
  [{ type: "climate", features: [enumerated("system_mode", ["off", "dry"], 7)] }, "dry", { mode: 6 }, "dry"],
  [
    { type: "climate", features: [enumerated("system_mode", ["heat", "fan_only"], 7)] },
    "fan_only",
    { mode: 5 },
    "fan_only",
  ],
  [
    { type: "lock", features: [enumerated("lock_state", ["locked", "not_fully_locked"])] },
    "not_fully_locked",
    { lockState: "not_fully_locked" },
  ],
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
    { runningState: "heat", heatingDemand: 1 },
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
      { type: "enum", name: "effect2", property: "effect2", access: 2, values: ["blink"] },
      numeric("trigger_count"),
    ]),
  );
  const { settings, others } = settingsOf(rest);
  assert.deepEqual(
    extrasOf(others).map(({ described }) => described),
    [
      {
        name: "effect2",
        fieldType: "OPTION",
        unit: null,
        writable: true,
        momentary: true,
        options: ["blink"],
      },
      { name: "trigger_count", fieldType: "NUMBER", unit: null, writable: false },
    ],
  );
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
      const { settings: found, others } = settingsOf(rest);
      const settings = found.map(({ item }) => item);
      const extras = extrasOf(others);
      assert.equal(extrasProblem(extras.map(({ described }) => described)), undefined);
      for (const { from, to } of [...found, ...extras]) {
        const read = from(value);
        if (read !== undefined) to(read);
      }
      assert.equal(itemsProblem(settings), undefined);
      for (const item of settings) assert.ok(items.Check(item), JSON.stringify(item));
    }),
    { numRuns: 200 },
  );
});
