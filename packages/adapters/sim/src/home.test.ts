import assert from "node:assert/strict";
import test from "node:test";
import { attribute, capabilities, deviceClasses, lampTemperature, isExtra } from "@ledge/model";
import { Compile } from "typebox/compile";
import { home } from "./home.ts";
import { SimulatedWorld } from "./world.ts";

const start = Date.UTC(2026, 0, 15, 5);
const newWorld = (): SimulatedWorld =>
  new SimulatedWorld({ seed: 3, now: start, devices: home, report: () => {} });

test("the home has about 30 devices of all common classes, each with its own address", () => {
  const natives = new Set(home.map(({ native }) => native));
  assert.equal(natives.size, home.length);
  assert.ok(home.length >= 30 && home.length <= 50, String(home.length));
  const classes = new Set<string>(home.map((row) => row.class));
  for (const common of [
    "LIGHT",
    "POWER_SOCKET",
    "MULTI_SENSOR",
    "MOTION",
    "CONTACT",
    "SMOKE_ALARM",
    "MOISTURE",
    "CO",
    "CO2_SENSOR",
    "TWILIGHT",
    "REMOTE_CONTROL",
    "THERMOSTAT",
    "BLINDS",
    "ALARM_DEVICE",
    "DOORBELL",
    "SIGNAL",
  ]) {
    assert.ok(classes.has(common), common);
  }
});

test("uses only classes and capabilities of the model", () => {
  for (const row of home) {
    assert.ok(Object.hasOwn(deviceClasses, row.class), row.class);
    for (const capability of row.capabilities) assert.ok(capabilities.includes(capability), capability);
  }
});

test("shows only attributes of the model, with valid values, all day long", () => {
  const world = newWorld();
  for (let hour = 0; hour < 24; hour += 1) {
    for (const { native, class: deviceClass } of home) {
      for (const [name, value] of Object.entries(world.shown(native))) {
        if (isExtra(name)) continue;
        const declared = attribute(name);
        assert.ok(declared, `${native} shows ${name}`);
        const schema = name === "temperature" && deviceClass === "LIGHT" ? lampTemperature : declared.value;
        assert.ok(Compile(schema).Check(value), `${native}: ${name} is ${JSON.stringify(value)}`);
      }
    }
    world.step(3_600_000);
  }
});

/** The attributes that each capability promises. */
const promised: Readonly<Record<string, readonly string[]>> = {
  ON_OFF: ["isOn"],
  BRIGHTNESS: ["brightness"],
  COLOR_HS: ["hue", "saturation", "colorMode"],
  COLOR_TEMP: ["temperature", "minTemperature", "maxTemperature", "colorMode"],
  MEASURE_POWER: ["activePower"],
  ACTIVE_POWER: ["power"],
  POWER_METER: ["totalPower", "powerToday"],
  MOTION: ["motion"],
  CONTACT: ["open"],
  TEMPERATURE: ["temperature"],
  HUMIDITY: ["humidity"],
  LUX: ["lux"],
  TWILIGHT: ["twilight"],
  SMOKE: ["alert"],
  MOISTURE: ["moisture"],
  CO: ["coDetected"],
  CO2: ["co2Ppm"],
  VOC: ["vocPpm"],
  PRESSURE: ["pressure"],
  BATTERY_U: ["batteryV", "batteryLow"],
  BATTERY_C: ["battery"],
  RSSI: ["rssi"],
  THERMOSTAT: ["targetTemp", "targetTemperature", "heatingDemand", "temperature"],
  HVAC: ["mode"],
  CONTROL_PRESET: ["preset"],
  FAN_MODE: ["fanMode"],
  VU: ["mode", "freshTemperature", "supplyTemperature", "extractTemperature"],
  VU_FN_FIREPLACE: ["fn_fireplace"],
  BLINDS: ["position", "liftPct"],
  TILT: ["tiltPct"],
  VALVE: ["openPct"],
  SIGNAL: ["isOn"],
  GENERATE_ALERT: ["isOn"],
};
test("a device shows every attribute that its capabilities promise", () => {
  const world = newWorld();
  for (const { native, capabilities: named } of home) {
    const shown = world.shown(native);
    for (const capability of named) {
      for (const name of promised[capability] ?? [])
        assert.ok(name in shown, `${native}: ${capability} without ${name}`);
    }
  }
});

test("a device shows each value that it was set to", () => {
  const values: Record<string, unknown> = {
    isOn: true,
    brightness: 0.4667,
    position: 0.25,
    tiltPct: 30,
    openPct: 40,
    mode: 1,
  };
  Object.assign(values, {
    targetTemperature: 22.5,
    preset: 2,
    fanMode: 3,
    fn_fireplace: true,
    hue: 0.5061454830783556,
    saturation: 0.25,
  });
  const world = newWorld();
  let told = 0;
  for (const { native, capabilities: named } of home) {
    for (const [name, value] of Object.entries(values)) {
      if (!attribute(name)?.settableBy.some((capability) => named.includes(capability))) continue;
      world.set(native, { [name]: value });
      for (let second = 0; second < 30; second += 1) world.step(1000);
      assert.deepEqual(world.shown(native)[name], value, `${native}: ${name}`);
      told += 1;
    }
  }
  assert.ok(told > 25, String(told));
});
