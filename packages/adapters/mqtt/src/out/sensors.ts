import type { Entity, Wanted } from "./entity.ts";
import { can, has, onOffOf, valueOf } from "./entity.ts";

interface SensorRow {
  readonly name: string;
  readonly deviceClass?: string;
  readonly unit?: string;
  readonly stateClass?: "measurement" | "total_increasing" | "total";
  readonly diagnostic?: true;
  /** The shown value for 1 of the attribute's. */
  readonly scale?: number;
}

const measured = (name: string, deviceClass?: string, unit?: string): SensorRow => ({
  name,
  ...(deviceClass !== undefined && { deviceClass }),
  ...(unit !== undefined && { unit }),
  stateClass: "measurement",
});
const counted = (name: string, deviceClass: string, unit: string): SensorRow => ({
  name,
  deviceClass,
  unit,
  stateClass: "total_increasing",
});

function phases(attribute: string, row: SensorRow): Readonly<Record<string, SensorRow>> {
  return Object.fromEntries(
    ["A", "B", "C"].map((phase, index) => [attribute + phase, { ...row, name: `${row.name} ${index + 1}` }]),
  );
}

const current = measured("Current", "current", "A");
const voltage = measured("Voltage", "voltage", "V");
const powerFactor = measured("Power factor", "power_factor");
const apparent = measured("Apparent power", "apparent_power", "VA");
const reactive = measured("Reactive power", "reactive_power", "var");
const produced = counted("Produced energy", "energy", "kWh");

/** Attributes that are numbers or words. */
export const sensors: Readonly<Record<string, SensorRow>> = {
  temperature: measured("Temperature", "temperature", "°C"),
  humidity: measured("Humidity", "humidity", "%"),
  lux: measured("Illuminance", "illuminance", "lx"),
  co2Ppm: measured("Carbon dioxide", "carbon_dioxide", "ppm"),
  vocPpm: measured("Volatile organic compounds", "volatile_organic_compounds_parts", "ppm"),
  voxIndex: measured("VOC index", "aqi"),
  noxIndex: measured("NOx index", "aqi"),
  pm1: measured("PM1", "pm1", "µg/m³"),
  pm25: measured("PM2.5", "pm25", "µg/m³"),
  pm10: measured("PM10", "pm10", "µg/m³"),
  formaldehyde: measured("Formaldehyde", undefined, "µg/m³"),
  airQuality: { name: "Air quality" },
  pressure: measured("Pressure", "pressure", "Pa"),
  soilMoisture: measured("Soil moisture", "moisture", "%"),
  battery: { ...measured("Battery", "battery", "%"), diagnostic: true },
  batteryV: { ...measured("Battery voltage", "voltage", "V"), diagnostic: true },
  rssi: { ...measured("Signal strength", "signal_strength", "dBm"), diagnostic: true },
  activePower: measured("Power", "power", "W"),
  power: measured("Power", "power", "W"),
  totalPower: counted("Energy", "energy", "kWh"),
  powerToday: counted("Energy today", "energy", "kWh"),
  voltage,
  ...phases("voltage", voltage),
  current,
  ...phases("current", current),
  powerFactor,
  ...phases("powerFactor", powerFactor),
  apparentPower: apparent,
  ...phases("apparentPower", apparent),
  reactivePower: reactive,
  ...phases("reactivePower", reactive),
  producedEnergy: produced,
  ...phases("producedEnergy", produced),
  ...phases("power", measured("Power", "power", "W")),
  ...phases("energy", counted("Energy", "energy", "kWh")),
  frequency: measured("Frequency", "frequency", "Hz"),
  flow: { ...measured("Flow", "volume_flow_rate", "m³/h"), scale: 0.001 },
  volume: counted("Volume", "water", "L"),
  flowTemp: measured("Flow temperature", "temperature", "°C"),
  freshTemperature: measured("Fresh air temperature", "temperature", "°C"),
  supplyTemperature: measured("Supply air temperature", "temperature", "°C"),
  extractTemperature: measured("Extract air temperature", "temperature", "°C"),
  deviceTemperature: { ...measured("Device temperature", "temperature", "°C"), diagnostic: true },
  heatingDemand: { ...measured("Heating demand", undefined, "%"), scale: 100 },
  targetDistance: measured("Target distance", "distance", "m"),
  powerOutages: { name: "Power outages", stateClass: "total_increasing", diagnostic: true },
  uptime: { name: "Uptime", deviceClass: "duration", unit: "s", diagnostic: true },
  lockState: { name: "Lock state" },
  runningState: { name: "Running state" },
  // Of a device that may not be commanded.
  brightness: { ...measured("Brightness", undefined, "%"), scale: 100 },
  liftPct: measured("Position", undefined, "%"),
  tiltPct: measured("Tilt", undefined, "%"),
  openPct: measured("Opening", undefined, "%"),
  targetTemp: measured("Target temperature", "temperature", "°C"),
};

interface BinaryRow {
  readonly name: string;
  readonly deviceClass?: string;
  /** On when the attribute is false. */
  readonly inverted?: true;
  readonly diagnostic?: true;
}

/** Attributes that are true or false. */
export const binarySensors: Readonly<Record<string, BinaryRow>> = {
  motion: { name: "Motion", deviceClass: "motion" },
  open: { name: "Contact", deviceClass: "opening" },
  moisture: { name: "Moisture", deviceClass: "moisture" },
  coDetected: { name: "Carbon monoxide", deviceClass: "carbon_monoxide" },
  alert: { name: "Alert", deviceClass: "safety" },
  twilight: { name: "Light", deviceClass: "light", inverted: true },
  tamper: { name: "Tamper", deviceClass: "tamper", diagnostic: true },
  windowOpen: { name: "Window", deviceClass: "window" },
  batteryLow: { name: "Battery low", deviceClass: "battery", diagnostic: true },
  lowTemp: { name: "Low temperature", deviceClass: "cold" },
  highTemp: { name: "High temperature", deviceClass: "heat" },
  locked: { name: "Lock", deviceClass: "lock", inverted: true },
  sirenOn: { name: "Siren", deviceClass: "sound" },
  isOn: { name: "On" },
};

/** The classes of devices of which an alert has a class of its own. */
const alertClasses: Readonly<Record<string, string>> = { SMOKE_ALARM: "smoke", DOORBELL: "occupancy" };

/**
 * Returns the entities of what a device measures or tells and no client sets.
 * @param shown the attributes that another of its entities shows
 */
export function sensorsOf({ device, places }: Wanted, shown: ReadonlySet<string>): readonly Entity[] {
  const entities: Entity[] = [];
  for (const [attribute, row] of Object.entries(sensors)) {
    if (!has(device, attribute) || shown.has(attribute)) continue;
    // It has one key for the colour and for the air.
    if (attribute === "temperature" && can(device, "COLOR_TEMP")) continue;
    // Both are the same, of devices of different ages.
    if (attribute === "power" && has(device, "activePower")) continue;
    entities.push({
      component: "sensor",
      key: attribute,
      name: row.name,
      config: {
        state_topic: places.state,
        value_template: row.scale === undefined ? valueOf(attribute) : scaled(attribute, row.scale),
        ...(row.deviceClass !== undefined && { device_class: row.deviceClass }),
        ...(row.unit !== undefined && { unit_of_measurement: row.unit }),
        ...(row.stateClass !== undefined && { state_class: row.stateClass }),
        ...(row.diagnostic && { entity_category: "diagnostic" }),
      },
    });
  }
  for (const [attribute, row] of Object.entries(binarySensors)) {
    if (!has(device, attribute) || shown.has(attribute)) continue;
    const deviceClass = (attribute === "alert" && alertClasses[device.class]) || row.deviceClass;
    entities.push({
      component: "binary_sensor",
      key: attribute,
      name: row.name,
      config: {
        state_topic: places.state,
        value_template: onOffOf(attribute),
        ...(row.inverted && { payload_on: "OFF", payload_off: "ON" }),
        ...(deviceClass !== undefined && { device_class: deviceClass }),
        ...(row.diagnostic && { entity_category: "diagnostic" }),
      },
    });
  }
  return entities;
}

function scaled(attribute: string, scale: number): string {
  const value = `value_json['${attribute}']`;
  return `{{ None if ${value} is none else (${value} * ${scale}) | round(3) }}`;
}
