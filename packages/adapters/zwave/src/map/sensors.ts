import type { AttributeName, Capability } from "@ledge/model";
import { commandClass } from "./command-class.ts";
import type { ValueRow } from "./row.ts";
import { numberIn, rounded } from "./value.ts";

interface Reading {
  readonly property: string;
  readonly capability: Capability;
  readonly attribute: AttributeName;
  /** The least and the most that a device can measure, in the hub's unit. */
  readonly range: readonly [least: number, most: number];
  /** Into the hub's unit, by the unit that the device reports; absent for a unit that it does not know. */
  readonly units: Readonly<Record<string, (value: number) => number>>;
}

const same = (value: number): number => value;
const celsius = { "°C": same, "°F": (value: number): number => ((value - 32) * 5) / 9 };
const percent = { "%": same };

/** Sensor types by the library's names (SDS13812), with what no device can measure left out. */
const readings: readonly Reading[] = [
  {
    property: "Air temperature",
    capability: "TEMPERATURE",
    attribute: "temperature",
    range: [-100, 150],
    units: celsius,
  },
  { property: "Humidity", capability: "HUMIDITY", attribute: "humidity", range: [0, 100], units: percent },
  {
    property: "Illuminance",
    capability: "LUX",
    attribute: "lux",
    range: [0, 200_000],
    // Some devices give a share of an unknown whole instead of lux: that says nothing.
    units: { lux: same, Lux: same },
  },
  {
    property: "Power",
    capability: "ACTIVE_POWER",
    attribute: "activePower",
    range: [-100_000, 100_000],
    units: { W: same, "Btu/h": (value) => value * 0.293_071 },
  },
  {
    property: "Voltage",
    capability: "VOLTAGE",
    attribute: "voltage",
    range: [0, 1000],
    units: { V: same, mV: (v) => v / 1000 },
  },
  {
    property: "Current",
    capability: "CURRENT",
    attribute: "current",
    range: [0, 1000],
    units: { A: same, mA: (a) => a / 1000 },
  },
  {
    property: "Carbon dioxide (CO₂) level",
    capability: "CO2",
    attribute: "co2Ppm",
    range: [0, 100_000],
    units: { ppm: same },
  },
  {
    property: "Volatile Organic Compound level",
    capability: "VOC",
    attribute: "vocPpm",
    range: [0, 10_000],
    units: { ppm: same },
  },
  {
    property: "Particulate Matter 2.5",
    capability: "PM25",
    attribute: "pm25",
    range: [0, 10_000],
    units: { "µg/m³": same },
  },
  {
    property: "Barometric pressure",
    capability: "PRESSURE",
    attribute: "pressure",
    range: [10_000, 150_000],
    units: { kPa: (value) => value * 1000, inHg: (value) => value * 3386.389 },
  },
  {
    property: "Atmospheric pressure",
    capability: "PRESSURE",
    attribute: "pressure",
    range: [10_000, 150_000],
    units: { kPa: (value) => value * 1000, inHg: (value) => value * 3386.389 },
  },
  {
    property: "Particulate Matter 10",
    capability: "PM10",
    attribute: "pm10",
    range: [0, 10_000],
    units: { "µg/m³": same },
  },
  {
    property: "Particulate Matter 1",
    capability: "PM1",
    attribute: "pm1",
    range: [0, 10_000],
    units: { "µg/m³": same },
  },
  {
    property: "Formaldehyde (CH₂O) level",
    capability: "FORMALDEHYDE",
    attribute: "formaldehyde",
    range: [0, 100_000],
    // 30.026 g/mol
    units: { "mol/m³": (value) => value * 30_026_000 },
  },
  {
    property: "Frequency",
    capability: "FREQUENCY",
    attribute: "frequency",
    range: [0, 1000],
    units: { Hz: same, kHz: (value) => value * 1000 },
  },
  {
    property: "RF signal strength",
    capability: "RSSI",
    attribute: "rssi",
    range: [-150, 20],
    units: { dBm: same },
  },
  {
    property: "Distance",
    capability: "TARGET_DISTANCE",
    attribute: "targetDistance",
    range: [0, 1000],
    units: { m: same, cm: (value) => value / 100, ft: (value) => value * 0.3048 },
  },
  {
    property: "Water flow",
    capability: "FLOW",
    attribute: "flow",
    range: [0, 100_000],
    units: { "l/h": same },
  },
  {
    property: "Soil humidity",
    capability: "SOIL_MOISTURE",
    attribute: "soilMoisture",
    range: [0, 100],
    units: percent,
  },
];

function readingRow({ property, capability, attribute, range, units }: Reading): ValueRow {
  return {
    commandClass: commandClass.multilevelSensor,
    property,
    capabilities: ({ unit = "" }) =>
      Object.hasOwn(units, unit)
        ? capability === "ACTIVE_POWER"
          ? ["MEASURE_POWER", "ACTIVE_POWER"]
          : [capability]
        : [],
    attributes({ value, unit = "" }) {
      const raw = numberIn(value, -Infinity, Infinity);
      const convert = Object.hasOwn(units, unit) ? units[unit] : undefined;
      if (raw === undefined || convert === undefined) return {};
      const said = numberIn(convert(raw), ...range);
      return said === undefined ? {} : { [attribute]: rounded(said, 3) };
    },
  };
}

/** Whether something is so, by the library's name of a sensor type (SDS13781, table 10). */
const detections: Readonly<Record<string, readonly [Capability, AttributeName]>> = {
  Motion: ["MOTION", "motion"],
  "Door/Window": ["CONTACT", "open"],
  Smoke: ["SMOKE", "alert"],
  CO: ["CO", "coDetected"],
  Water: ["MOISTURE", "moisture"],
};

const detectionRows = Object.entries(detections).map(([property, [capability, attribute]]): ValueRow => ({
  commandClass: commandClass.binarySensor,
  property,
  capabilities: () => [capability],
  attributes: ({ value }) => (typeof value === "boolean" ? { [attribute]: value } : {}),
}));

interface State {
  readonly property: string;
  readonly propertyKey: string;
  readonly capabilities: readonly Capability[];
  readonly attribute: AttributeName;
  /** The states (SDS13713) in which the attribute is true, and those in which it is false. */
  readonly when: readonly number[];
  readonly else: readonly number[];
}

/** States of notifications. A state that is in neither list changes nothing. */
const states: readonly State[] = [
  {
    property: "Home Security",
    propertyKey: "Motion sensor status",
    capabilities: ["MOTION"],
    attribute: "motion",
    when: [7, 8],
    else: [0],
  },
  {
    property: "Home Security",
    propertyKey: "Cover status",
    capabilities: [],
    attribute: "tamper",
    when: [3],
    else: [0],
  },
  {
    property: "System",
    propertyKey: "Cover status",
    capabilities: [],
    attribute: "tamper",
    when: [6],
    else: [0],
  },
  {
    property: "Home monitoring",
    propertyKey: "Home occupancy status",
    capabilities: ["MOTION"],
    attribute: "motion",
    when: [1, 2],
    else: [0],
  },
  {
    property: "Power Management",
    propertyKey: "Battery maintenance status",
    capabilities: [],
    attribute: "batteryLow",
    when: [10, 11],
    else: [0],
  },
  {
    property: "Access Control",
    propertyKey: "Door state (simple)",
    capabilities: ["CONTACT"],
    attribute: "open",
    when: [22],
    else: [23],
  },
  {
    property: "Access Control",
    propertyKey: "Door state",
    capabilities: ["CONTACT"],
    attribute: "open",
    when: [22],
    else: [23],
  },
  {
    property: "Smoke Alarm",
    propertyKey: "Sensor status",
    capabilities: ["SMOKE"],
    attribute: "alert",
    when: [1, 2],
    else: [0],
  },
  {
    property: "CO Alarm",
    propertyKey: "Sensor status",
    capabilities: ["CO"],
    attribute: "coDetected",
    when: [1, 2],
    else: [0],
  },
  {
    property: "Water Alarm",
    propertyKey: "Sensor status",
    capabilities: ["MOISTURE"],
    attribute: "moisture",
    when: [1, 2],
    else: [0],
  },
  {
    property: "Siren",
    propertyKey: "Siren status",
    capabilities: ["GENERATE_ALERT"],
    attribute: "sirenOn",
    when: [1],
    else: [0],
  },
];

/** Two attributes of one state. */
const heat: ValueRow = {
  commandClass: commandClass.notification,
  property: "Heat Alarm",
  propertyKey: "Heat sensor status",
  capabilities: () => ["HIGH_TEMP", "LOW_TEMP"],
  attributes({ value }) {
    if (value === 0) return { highTemp: false, lowTemp: false };
    if (value === 1 || value === 2) return { highTemp: true };
    return value === 5 || value === 6 ? { lowTemp: true } : {};
  },
};

const stateRows = states.map(
  ({ property, propertyKey, capabilities, attribute, when, else: otherwise }): ValueRow => ({
    commandClass: commandClass.notification,
    property,
    propertyKey,
    capabilities: () => capabilities,
    attributes({ value }) {
      if (typeof value !== "number") return {};
      if (when.includes(value)) return { [attribute]: true };
      return otherwise.includes(value) ? { [attribute]: false } : {};
    },
  }),
);

const battery: readonly ValueRow[] = [
  {
    commandClass: commandClass.battery,
    property: "level",
    capabilities: () => ["BATTERY_C"],
    attributes({ value }) {
      const level = numberIn(value, 0, 100);
      return level === undefined ? {} : { battery: level };
    },
  },
  {
    commandClass: commandClass.battery,
    property: "rechargeOrReplace",
    capabilities: () => [],
    // 0 no, 1 soon, 2 now
    attributes: ({ value }) => (typeof value === "number" && value <= 2 ? { batteryLow: value > 0 } : {}),
  },
];

export const sensors: readonly ValueRow[] = [
  ...readings.map(readingRow),
  ...detectionRows,
  ...stateRows,
  heat,
  ...battery,
];
