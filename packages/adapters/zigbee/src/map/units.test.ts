import assert from "node:assert/strict";
import test from "node:test";
import { attributes, capabilities as allCapabilities, deviceClasses, isSettable, limits } from "@ledge/model";
import { framesFor } from "./frames.ts";
import type { Unit } from "./unit.ts";
import type { ModelName } from "./test-models.ts";
import { models } from "./test-models.ts";
import { nodeFacts, testIeee } from "./test-node.ts";
import { factsToRead, unitsOf } from "./units.ts";
import { unread } from "./unread.ts";

/** By clusters alone: the class, and the capabilities besides DEVICE. */
const generic: Readonly<Record<ModelName, readonly string[]>> = {
  whiteLamp: ["LIGHT: ALERT BRIGHTNESS COLOR_TEMP CONTROL_LIGHT IDENTIFY ON_OFF TRANSITION UPGRADE"],
  colorLamp: ["LIGHT: ALERT BRIGHTNESS COLOR_HS CONTROL_LIGHT IDENTIFY ON_OFF TRANSITION UPGRADE"],
  hueLamp: [
    "LIGHT: ALERT BRIGHTNESS COLOR_HS COLOR_LOOP COLOR_TEMP CONTROL_LIGHT IDENTIFY ON_OFF TRANSITION UPGRADE",
  ],
  lightLinkLamp: [
    "LIGHT: ALERT BRIGHTNESS COLOR_HS COLOR_LOOP COLOR_TEMP CONTROL_LIGHT IDENTIFY ON_OFF TRANSITION",
  ],
  dimmableLamp: ["LIGHT: ALERT BRIGHTNESS CONTROL_LIGHT IDENTIFY ON_OFF TRANSITION UPGRADE"],
  outlet: ["POWER_SOCKET: BRIGHTNESS CONTROL_POWER IDENTIFY ON_OFF TRANSITION UPGRADE"],
  meteredPlug: [
    "POWER_SOCKET: ACTIVE_POWER CONFIGURABLE CONTROL_POWER IDENTIFY MEASURE_POWER ON_OFF POWER_METER UPGRADE",
  ],
  twoGangs: ["LIGHT: ALERT CONTROL_LIGHT IDENTIFY ON_OFF UPGRADE", "LIGHT: CONTROL_LIGHT ON_OFF"],
  dimmerModule: [
    "LIGHT: ACTIVE_POWER ALERT BRIGHTNESS CONFIGURABLE CONTROL_LIGHT IDENTIFY MEASURE_POWER ON_OFF POWER_METER TRANSITION",
  ],
  // Only a definition knows how this maker uses standard clusters.
  aqaraContact: ["POWER_SOCKET: CONTROL_POWER IDENTIFY ON_OFF"],
  aqaraClimate: ["MULTI_SENSOR: CONFIGURABLE HUMIDITY IDENTIFY PRESSURE TEMPERATURE"],
  aqaraMotion: ["MOTION: BATTERY_C BATTERY_U CONFIGURABLE IDENTIFY LUX MOTION UPGRADE"],
  aqaraLeak: ["MOISTURE: BATTERY_C BATTERY_U IDENTIFY MOISTURE UPGRADE"],
  aqaraButton: ["MULTI_SENSOR: IDENTIFY"],
  hueMotion: ["MOTION: BATTERY_C CONFIGURABLE IDENTIFY LUX MOTION TEMPERATURE UPGRADE"],
  hueDimmer: ["REMOTE_CONTROL: BATTERY_C DIMMER_CONTROL HUE_SWITCH IDENTIFY REMOTE_CONTROL UPGRADE"],
  ikeaRemote: ["REMOTE_CONTROL: BATTERY_C DIMMER_CONTROL IDENTIFY IKEA_RC REMOTE_CONTROL RSSI UPGRADE"],
  blind: ["BLINDS: BATTERY_C BLINDS COVER_STOP IDENTIFY LIFT UPGRADE"],
  curtainModule: ["BLINDS: BLINDS CONTROL_POWER COVER_STOP LIFT ON_OFF UPGRADE"],
  radiator: [
    "THERMOSTAT: BATTERY_C CONFIGURABLE CONTROL_MODE CONTROL_TEMPERATURE HVAC IDENTIFY RSSI TEMPERATURE THERMOSTAT UPGRADE",
  ],
  eurotronic: [
    "THERMOSTAT: BATTERY_C CONFIGURABLE CONTROL_MODE CONTROL_TEMPERATURE HVAC IDENTIFY TEMPERATURE THERMOSTAT UPGRADE",
  ],
  tuyaRadiator: ["MULTI_SENSOR: UPGRADE"],
  tuyaAir: ["MULTI_SENSOR: UPGRADE"],
  smoke: ["SMOKE_ALARM: BATTERY_C BATTERY_U GENERATE_ALERT IDENTIFY RSSI SMOKE UPGRADE"],
  siren: ["ALARM_DEVICE: GENERATE_ALERT IDENTIFY UPGRADE"],
  lock: ["MULTI_SENSOR: BATTERY_C IDENTIFY LOCK UPGRADE"],
  purifier: ["THERMOSTAT: FAN_MODE IDENTIFY UPGRADE"],
  airMonitor: ["MULTI_SENSOR: CONFIGURABLE HUMIDITY IDENTIFY PM25 TEMPERATURE UPGRADE"],
  vibration: ["CONTACT: BATTERY_C BATTERY_U CONFIGURABLE CONTACT IDENTIFY TEMPERATURE UPGRADE"],
};

const summary = ({ class: kind, capabilities }: Unit): string =>
  `${kind}: ${capabilities
    .filter((name) => name !== "DEVICE")
    .toSorted()
    .join(" ")}`;

for (const [name, expected] of Object.entries(generic)) {
  test(`classifies ${name} by its clusters`, () => {
    const units = unitsOf(models[name as ModelName]);
    assert.deepEqual(units.map(summary), expected);
  });
}

/** A valid value of each attribute. */
const wanted: Readonly<Record<string, unknown>> = {
  isOn: true,
  brightness: 0.5,
  colorMode: undefined,
  hue: 1,
  saturation: 0.5,
  temperature: 3000,
  position: 0.3,
  liftPct: 30,
  tiltPct: 30,
  stop: true,
  locked: true,
  targetTemp: 21,
  targetTemperature: 21,
  mode: 2,
  fanMode: 1,
  sirenOn: true,
};

for (const [name, node] of Object.entries(models)) {
  test(`${name} is a valid device of the hub with a frame for every attribute it can set`, () => {
    const units = unitsOf(node);
    assert.equal(new Set(units.map(({ native }) => native)).size, units.length);
    for (const unit of units) {
      assert.ok(unit.class in deviceClasses);
      assert.ok(unit.capabilities.every((capability) => allCapabilities.includes(capability)));
      assert.ok(
        unit.name.length <= limits.nameChars && unit.capabilities.length <= limits.deviceCapabilities,
      );
      assert.ok(JSON.stringify(unit.extras ?? {}).length <= limits.deviceExtrasChars);
      const device = { type: unit.class, capabilities: { values: unit.capabilities }, state: {} };
      for (const attribute of Object.keys(attributes)) {
        if (attribute === "transitionMsec" || !isSettable(device, attribute)) continue;
        const value =
          attribute === "colorMode"
            ? unit.capabilities.includes("COLOR_HS")
              ? "hs"
              : "ct"
            : wanted[attribute];
        assert.notDeepEqual(framesFor(unit, { [attribute]: value }, {}), [], `${unit.class} ${attribute}`);
      }
    }
  });
}

test("a device with several switches is several devices, by endpoint", () => {
  const [first, second] = unitsOf(models.twoGangs);
  assert.deepEqual([first?.native, second?.native], [testIeee, `${testIeee}/2`]);
  assert.deepEqual([first?.name, second?.name], ["TS0002", "TS0002 2"]);
  const off = framesFor(second as Unit, { isOn: false }, {});
  assert.deepEqual(off, [{ kind: "command", endpoint: 2, cluster: "genOnOff", name: "off", payload: {} }]);
});

test("lists what to read before a device is known", () => {
  assert.deepEqual(factsToRead(models.smoke), [
    { kind: "read", endpoint: 1, cluster: "ssIasWd", attributes: ["maxDuration"] },
    { kind: "read", endpoint: 1, cluster: "ssIasZone", attributes: ["zoneType"] },
    {
      kind: "read",
      endpoint: 1,
      cluster: "genPowerCfg",
      attributes: ["batteryVoltage", "batteryPercentageRemaining"],
    },
  ]);
});

test("lists what was never read of a known device", () => {
  const row = { device: 0x0403, in: [0x0500, 0x0502], values: { ssIasZone: { zoneType: 0x0225 } } };
  assert.deepEqual(unread(unitsOf(nodeFacts([row]))), [
    { kind: "read", endpoint: 1, cluster: "ssIasWd", attributes: ["maxDuration"] },
  ]);
  const values = { ...row.values, ssIasWd: { maxDuration: 240 } };
  assert.deepEqual(unread(unitsOf(nodeFacts([{ ...row, values }]))), []);
});

test("cleans up names from devices", () => {
  const nul = String.fromCodePoint(0);
  const [unit] = unitsOf(nodeFacts([], { model: `lumi.weather${nul}${nul}`, manufacturer: nul }));
  assert.deepEqual([unit?.name, unit?.model, unit?.manufacturer], ["lumi.weather", "lumi.weather", null]);
  const [nameless] = unitsOf(nodeFacts([], { model: null }));
  assert.equal(nameless?.name, "Zigbee 345678");
  const [long] = unitsOf(nodeFacts([], { model: "x".repeat(5000) }));
  assert.equal(long?.name.length, limits.nameChars);
});

test("uses the first of two endpoints that could report the same", () => {
  const probe = { device: 0x0302, in: [0x0402] };
  const [unit] = unitsOf(nodeFacts([probe, { ...probe, id: 2 }]));
  assert.deepEqual(unit?.setup.bindings, [{ endpoint: 1, cluster: "msTemperatureMeasurement" }]);
  assert.deepEqual(
    unit?.served.map(({ endpoint }) => endpoint.id),
    [1],
  );
});

test("limits the rate of reports", () => {
  const slow = /batteryP|currentSumm/;
  const paced = /measuredValue|ctivePower|nstantaneousDemand|localTemp|pIHeating/;
  for (const node of Object.values(models)) {
    for (const { setup } of unitsOf(node)) {
      for (const { attribute, minSeconds, maxSeconds, change } of setup.reporting) {
        assert.ok(maxSeconds > minSeconds && maxSeconds <= 43_200, attribute);
        if (slow.test(attribute)) assert.ok(minSeconds >= 300, attribute);
        if (paced.test(attribute)) assert.ok(minSeconds >= 10 && change > 0, attribute);
      }
    }
  }
});

test("a meter reports changes of 5 W and 50 Wh in its own steps", () => {
  const [unit] = unitsOf(models.meteredPlug);
  const changes = unit?.setup.reporting.map(({ attribute, change }) => [attribute, change]);
  assert.deepEqual(changes, [
    ["onOff", 0],
    ["activePower", 50],
    ["currentSummDelivered", 5],
  ]);
});

test("binds remotes by what they control and enrols zones", () => {
  const [remote] = unitsOf(models.ikeaRemote);
  assert.deepEqual(
    remote?.setup.bindings.map(({ cluster }) => cluster),
    ["genPowerCfg", "genScenes", "genOnOff", "genLevelCtrl"],
  );
  assert.deepEqual(unitsOf(models.smoke)[0]?.setup.zones, [1]);
});
