import assert from "node:assert/strict";
import test from "node:test";
import type { AttributeValues } from "@ledge/exposes";
import { attributesOf, readsAfter } from "./attributes.ts";
import type { ClusterValues, NodeFacts } from "./facts.ts";
import { models } from "./test-models.ts";
import type { EndpointRow } from "./test-node.ts";
import { nodeFacts } from "./test-node.ts";
import type { Unit } from "./unit.ts";
import { unitsOf } from "./units.ts";

const unitOf = (node: NodeFacts): Unit => unitsOf(node)[0] as Unit;

/** Returns the attributes that a device with these clusters reports for a message. */
function reported(
  row: Omit<EndpointRow, "device"> & { readonly device?: number },
  cluster: string,
  data: unknown,
  before: AttributeValues = {},
): AttributeValues {
  const node = nodeFacts([{ device: 0x0302, ...row }], { type: "EndDevice", powerSource: "Battery" });
  return attributesOf(unitOf(node), { endpoint: 1, cluster, type: "attributeReport", data }, before);
}

type Row = readonly [cluster: string, id: number, data: unknown, attributes: AttributeValues];

const readings: readonly Row[] = [
  ["msTemperatureMeasurement", 0x0402, { measuredValue: 2156 }, { temperature: 21.56 }],
  ["msTemperatureMeasurement", 0x0402, { measuredValue: -550 }, { temperature: -5.5 }],
  ["msTemperatureMeasurement", 0x0402, { measuredValue: -32_768 }, {}],
  ["msRelativeHumidity", 0x0405, { measuredValue: 4325 }, { humidity: 43.25 }],
  ["msRelativeHumidity", 0x0405, { measuredValue: 0xffff }, {}],
  ["msRelativeHumidity", 0x0405, { measuredValue: 10_001 }, {}],
  ["msIlluminanceMeasurement", 0x0400, { measuredValue: 0 }, { lux: 0 }],
  ["msIlluminanceMeasurement", 0x0400, { measuredValue: 1 }, { lux: 1 }],
  ["msIlluminanceMeasurement", 0x0400, { measuredValue: 20_001 }, { lux: 100 }],
  ["msIlluminanceMeasurement", 0x0400, { measuredValue: 0xffff }, {}],
  ["msPressureMeasurement", 0x0403, { measuredValue: 1013 }, { pressure: 101_300 }],
  [
    "msPressureMeasurement",
    0x0403,
    { measuredValue: 1013, scale: -1, scaledValue: 10_132 },
    { pressure: 101_320 },
  ],
  ["msPressureMeasurement", 0x0403, { measuredValue: -32_768 }, {}],
  ["msCO2", 0x040d, { measuredValue: 0.000_415 }, { co2Ppm: 415 }],
  ["msCO2", 0x040d, { measuredValue: Number.NaN }, {}],
  ["pm25Measurement", 0x042a, { measuredValue: 12.34 }, { pm25: 12.3 }],
  ["msOccupancySensing", 0x0406, { occupancy: 1 }, { motion: true }],
  ["msOccupancySensing", 0x0406, { occupancy: 0 }, { motion: false }],
  ["msOccupancySensing", 0x0406, { occupancy: "1" }, {}],
  ["genPowerCfg", 0x0001, { batteryPercentageRemaining: 175 }, { battery: 87.5 }],
  ["genPowerCfg", 0x0001, { batteryPercentageRemaining: 0xff }, {}],
  ["haDiagnostic", 0x0b05, { lastMessageRssi: -71, lastMessageLqi: 200 }, { rssi: -71 }],
  ["haDiagnostic", 0x0b05, { lastMessageRssi: -128 }, {}],
  ["genDeviceTempCfg", 0x0002, { currentTemperature: -12 }, { deviceTemperature: -12 }],
  ["genDeviceTempCfg", 0x0002, { currentTemperature: -0x8000 }, {}],
  ["genDeviceTempCfg", 0x0002, { currentTemperature: 201 }, {}],
  ["haElectricalMeasurement", 0x0b04, { activePower: 42 }, { activePower: 42, power: 42 }],
  ["haElectricalMeasurement", 0x0b04, { activePower: -32_768 }, {}],
  ["seMetering", 0x0702, { currentSummDelivered: 12_345 }, { totalPower: 12.345 }],
  ["seMetering", 0x0702, { currentSummDelivered: 2 ** 48 - 1 }, {}],
  ["seMetering", 0x0702, { instantaneousDemand: 1 }, { activePower: 1, power: 1 }],
  ["genOnOff", 0x0006, { onOff: 1 }, { isOn: true }],
  ["genOnOff", 0x0006, { onOff: true }, { isOn: true }],
  ["genOnOff", 0x0006, { onOff: 0 }, { isOn: false }],
  ["genOnOff", 0x0006, { onOff: 0xff }, {}],
  ["hvacFanCtrl", 0x0202, { fanMode: 5 }, { fanMode: 5 }],
  ["hvacFanCtrl", 0x0202, { fanMode: 7 }, {}],
  ["closuresDoorLock", 0x0101, { lockState: 1 }, { locked: true }],
  ["closuresDoorLock", 0x0101, { lockState: 2 }, { locked: false }],
  ["closuresDoorLock", 0x0101, { lockState: 0xff }, {}],
  ["closuresWindowCovering", 0x0102, { currentPositionLiftPercentage: 30 }, { position: 0.7, liftPct: 70 }],
  ["closuresWindowCovering", 0x0102, { currentPositionLiftPercentage: 0xff }, {}],
  ["hvacThermostat", 0x0201, { localTemp: 2010 }, { temperature: 20.1 }],
  ["hvacThermostat", 0x0201, { localTemp: -32_768 }, {}],
  [
    "hvacThermostat",
    0x0201,
    { occupiedHeatingSetpoint: 2150 },
    { targetTemp: 21.5, targetTemperature: 21.5 },
  ],
  ["hvacThermostat", 0x0201, { systemMode: 4 }, { mode: 2 }],
  ["hvacThermostat", 0x0201, { systemMode: 7 }, { mode: 5 }],
  ["hvacThermostat", 0x0201, { systemMode: 8 }, { mode: 6 }],
  ["hvacThermostat", 0x0201, { systemMode: 9 }, {}],
  ["hvacThermostat", 0x0201, { pIHeatingDemand: 35 }, { heatingDemand: 0.35 }],
  ["hvacThermostat", 0x0201, { runningState: 0x0001 }, { heatingDemand: 1 }],
];

for (const [cluster, id, data, expected] of readings) {
  test(`maps ${cluster} ${JSON.stringify(data)}`, () => {
    assert.deepEqual(reported({ in: [id] }, cluster, data), expected);
  });
}

const zones: readonly (readonly [type: number, status: number, attributes: AttributeValues])[] = [
  [0x000d, 0x0001, { motion: true, tamper: false, batteryLow: false }],
  [0x0015, 0x0001, { open: true, tamper: false, batteryLow: false }],
  [0x0015, 0x0004, { open: false, tamper: true, batteryLow: false }],
  [0x0028, 0x0009, { alert: true, tamper: false, batteryLow: true }],
  [0x002a, 0x0002, { moisture: true, tamper: false, batteryLow: false }],
  [0x002b, 0x0001, { coDetected: true, tamper: false, batteryLow: false }],
  // Cooking fumes are not carbon monoxide.
  [0x002b, 0x0002, { coDetected: false, tamper: false, batteryLow: false }],
  [0x002c, 0x0002, { alert: true, tamper: false, batteryLow: false }],
  [0x002d, 0x0001, { motion: true, tamper: false, batteryLow: false }],
  [0x0226, 0x0001, { motion: true, tamper: false, batteryLow: false }],
  [0x0225, 0x0001, { tamper: false, batteryLow: false }],
  [0xffff, 0x0008, { tamper: false, batteryLow: true }],
];

for (const [zoneType, status, expected] of zones) {
  test(`maps a zone of type ${zoneType.toString(16)} with status ${status}`, () => {
    const values: ClusterValues = { ssIasZone: { zoneType } };
    assert.deepEqual(reported({ in: [0x0500], values }, "ssIasZone", { zoneStatus: status }), expected);
    const node = nodeFacts([{ device: 0x0402, in: [0x0500], values }], { powerSource: "Battery" });
    const message = {
      endpoint: 1,
      cluster: "ssIasZone",
      type: "commandStatusChangeNotification",
      data: { zonestatus: status, extendedstatus: 0, zoneID: 1, delay: 0 },
    };
    assert.deepEqual(attributesOf(unitOf(node), message, {}), expected);
  });
}

test("reports no battery for a mains device", () => {
  const values = { ssIasZone: { zoneType: 0x0015 } };
  const node = nodeFacts([{ device: 0x0402, in: [0x0500, 0x0001], values }]);
  const message = { endpoint: 1, cluster: "ssIasZone", type: "attributeReport", data: { zoneStatus: 9 } };
  assert.deepEqual(attributesOf(unitOf(node), message, {}), { open: true, tamper: false });
});

test("reports battery volts only when the device measures them, and battery alarms", () => {
  const values = { genPowerCfg: { batteryVoltage: 30 } };
  const row = { in: [0x0001], values };
  assert.deepEqual(reported(row, "genPowerCfg", { batteryVoltage: 29 }), { batteryV: 2.9 });
  assert.deepEqual(reported(row, "genPowerCfg", { batteryVoltage: 0xff }), {});
  assert.deepEqual(reported(row, "genPowerCfg", { batteryAlarmState: 1 }), { batteryLow: true });
  assert.deepEqual(reported(row, "genPowerCfg", { batteryAlarmState: 0x4000_0000 }), { batteryLow: false });
});

test("scales power and energy by the device's divisors", () => {
  const unit = unitOf(models.meteredPlug);
  const says = (cluster: string, data: unknown): AttributeValues =>
    attributesOf(unit, { endpoint: 1, cluster, type: "readResponse", data }, {});
  assert.deepEqual(says("haElectricalMeasurement", { activePower: 1234 }), {
    activePower: 123.4,
    power: 123.4,
  });
  assert.deepEqual(says("seMetering", { currentSummDelivered: 4567 }), { totalPower: 45.67 });
  // Power comes from one source only.
  assert.deepEqual(says("seMetering", { instantaneousDemand: 5 }), {});
  const zero = nodeFacts([
    { device: 0x0051, in: [0x0b04], values: { haElectricalMeasurement: { acPowerDivisor: 0 } } },
  ]);
  const message = {
    endpoint: 1,
    cluster: "haElectricalMeasurement",
    type: "attributeReport",
    data: { activePower: 7 },
  };
  assert.deepEqual(attributesOf(unitOf(zero), message, {}), { activePower: 7, power: 7 });
});

test("ignores a meter of gas or water", () => {
  const row = { in: [0x0702], values: { seMetering: { unitOfMeasure: 1 } } };
  assert.deepEqual(reported(row, "seMetering", { currentSummDelivered: 5 }), {});
});

test("maps a lamp's level to brightness, with 1 as the lowest", () => {
  const unit = unitOf(models.dimmableLamp);
  const at = (currentLevel: unknown, before = {}): AttributeValues =>
    attributesOf(
      unit,
      { endpoint: 3, cluster: "genLevelCtrl", type: "attributeReport", data: { currentLevel } },
      before,
    );
  assert.deepEqual(at(1), { brightness: 0 });
  assert.deepEqual(at(254), { brightness: 1 });
  assert.deepEqual(at(0), { brightness: 0 });
  assert.deepEqual(at(255), {});
  // A written value reads back exactly while the level is the one it produced.
  assert.deepEqual(at(119, { brightness: 0.4667 }), { brightness: 0.4667 });
  assert.deepEqual(at(120, { brightness: 0.4667 }), { brightness: 119 / 253 });
});

const color = (data: unknown, before: AttributeValues = {}): AttributeValues =>
  attributesOf(
    unitOf(models.hueLamp),
    { endpoint: 11, cluster: "lightingColorCtrl", type: "attributeReport", data },
    before,
  );

test("a white lamp has no hue, and a coloured lamp no temperature", () => {
  const white = { colorMode: "ct", hue: -1, saturation: -1 };
  assert.deepEqual(color({ colorMode: 2, colorTemperature: 370 }), { ...white, temperature: 1e6 / 370 });
  assert.deepEqual(color({ colorMode: 2, colorTemperature: 370 }, { temperature: 2700 }), {
    ...white,
    temperature: 2700,
  });
  const red = color({ colorMode: 1, currentX: 41_942, currentY: 21_626 });
  assert.equal(red["colorMode"], "hs");
  assert.equal(red["temperature"], -1);
  assert.ok(Math.min(red["hue"] as number, 2 * Math.PI - (red["hue"] as number)) < 0.1);
  assert.ok((red["saturation"] as number) > 0.99);
});

test("ignores x and y without a colour mode, since some lamps report them for whites too", () => {
  const xy = { currentX: 30_000, currentY: 27_000 };
  assert.deepEqual(color(xy), {});
  assert.deepEqual(color(xy, { colorMode: "ct", temperature: 2700 }), {
    colorMode: "ct",
    hue: -1,
    saturation: -1,
  });
  const unit = unitOf(models.hueLamp);
  const message = { endpoint: 11, cluster: "lightingColorCtrl", type: "attributeReport", data: xy };
  const [read] = readsAfter(unit, message);
  assert.ok(read?.attributes.includes("colorMode"));
  assert.deepEqual(readsAfter(unit, { ...message, type: "readResponse" }), []);
  assert.deepEqual(readsAfter(unit, { ...message, data: { colorMode: 1, ...xy } }), []);
  // For a lamp without whites, x or y alone is not enough.
  const [xyLamp] = unitsOf(models.colorLamp);
  assert.equal(readsAfter(xyLamp as Unit, { ...message, endpoint: 1, data: { currentX: 1 } }).length, 1);
  assert.equal(readsAfter(xyLamp as Unit, { ...message, endpoint: 1, data: xy }).length, 0);
});

test("reports a lamp's range of whites in K", () => {
  assert.deepEqual(color({ colorTempPhysicalMin: 153, colorTempPhysicalMax: 500 }), {
    maxTemperature: 1e6 / 153,
    minTemperature: 2000,
  });
  assert.deepEqual(color({ colorTempPhysicalMin: 0, colorTempPhysicalMax: 0xffff }), {});
});

test("maps a lamp that only has hues", () => {
  const values = { lightingColorCtrl: { colorCapabilities: 0x01 } };
  const row = { device: 0x010d, in: [6, 8, 0x0300], values };
  const cluster = "lightingColorCtrl";
  assert.deepEqual(reported(row, cluster, { currentHue: 127, currentSaturation: 254 }), {
    colorMode: "hs",
    hue: Math.PI,
    saturation: 1,
    temperature: -1,
  });
  assert.deepEqual(reported(row, cluster, { currentHue: 255, currentSaturation: 255 }), {
    colorMode: "hs",
    temperature: -1,
  });
});

test("reports only attributes that a capability promises", () => {
  assert.deepEqual(reported({ in: [0x0008] }, "genLevelCtrl", { currentLevel: 100 }), {});
  assert.deepEqual(reported({ in: [] }, "genOnOff", { onOff: 1 }), {});
});

test("ignores other endpoints, clusters and message types", () => {
  const unit = unitOf(models.dimmableLamp);
  const message = { endpoint: 3, cluster: "genOnOff", type: "attributeReport", data: { onOff: 1 } };
  assert.deepEqual(attributesOf(unit, message, {}), { isOn: true });
  for (const other of [
    { endpoint: 1 },
    { cluster: "toString" },
    { type: "write" },
    { data: null },
    { data: [1] },
  ])
    assert.deepEqual(attributesOf(unit, { ...message, ...other }, {}), {});
});
