import type { Capability, ExtraDescription } from "@ledge/model";
import type { Sending, Values } from "./source.ts";

/** One value of a device on a topic of its own or in a JSON message. */
export interface Point {
  /** The attributes that it has. */
  readonly attributes: readonly string[];
  readonly capabilities: readonly Capability[];
  /** Describes what has no attribute. */
  readonly extra?: ExtraDescription;
  /** Where its value comes; absent of what is only set. */
  readonly from?: { readonly topic: string; readonly path: readonly string[] };
  /** Returns the attributes of a value; none for an impossible one. */
  readonly read: (value: unknown, before: Values) => Values;
  /** Returns the message that sets it; undefined when none of the wanted attributes is its own. */
  readonly write?: (wanted: Values, before: Values) => Pick<Sending, "topic" | "payload"> | undefined;
}

/** Returns what stands at a path of a value; undefined for nothing. */
export function at(value: unknown, path: readonly string[]): unknown {
  let part = value;
  for (const key of path) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) return undefined;
    part = (part as Record<string, unknown>)[key];
  }
  return part;
}

/** Reads a number, also one that is written as a text. */
export function numberIn(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

const byAttribute: Readonly<Record<string, readonly Capability[]>> = {
  brightness: ["BRIGHTNESS"],
  temperature: ["TEMPERATURE"],
  humidity: ["HUMIDITY"],
  motion: ["MOTION"],
  open: ["CONTACT"],
  moisture: ["MOISTURE"],
  alert: ["SMOKE"],
  coDetected: ["CO"],
  locked: ["LOCK"],
  lux: ["LUX"],
  co2Ppm: ["CO2"],
  vocPpm: ["VOC"],
  pm1: ["PM1"],
  pm25: ["PM25"],
  pm10: ["PM10"],
  pressure: ["PRESSURE"],
  soilMoisture: ["SOIL_MOISTURE"],
  battery: ["BATTERY_C"],
  batteryV: ["BATTERY_U"],
  batteryLow: ["BATTERY_U"],
  rssi: ["RSSI"],
  activePower: ["MEASURE_POWER"],
  power: ["ACTIVE_POWER"],
  totalPower: ["POWER_METER"],
  powerToday: ["POWER_METER"],
  voltage: ["VOLTAGE"],
  current: ["CURRENT"],
  frequency: ["FREQUENCY"],
  powerFactor: ["POWER_FACTOR"],
  apparentPower: ["APPARENT_POWER"],
  reactivePower: ["REACTIVE_POWER"],
  flow: ["FLOW"],
  volume: ["FLOW_VOLUME"],
  flowTemp: ["FLOW_TEMPERATURE"],
  targetTemp: ["THERMOSTAT", "CONTROL_TEMPERATURE"],
  mode: ["HVAC", "CONTROL_MODE"],
  fanMode: ["FAN_MODE"],
  liftPct: ["BLINDS", "LIFT"],
  tiltPct: ["BLINDS", "TILT"],
  openPct: ["VALVE"],
  deviceTemperature: ["DEVICE_TEMPERATURE"],
  targetDistance: ["TARGET_DISTANCE"],
  uptime: ["UPTIME"],
  tamper: [],
  windowOpen: ["WINDOW"],
  twilight: ["TWILIGHT"],
};

/** The attributes that a device may have by one value. `isOn` is a switch, or a lamp by its class. */
export const pointAttributes: readonly string[] = ["isOn", ...Object.keys(byAttribute)];

/** Returns what a device can do that has an attribute. */
export function capabilitiesOf(attribute: string, isLamp: boolean): readonly Capability[] {
  if (attribute === "isOn") return ["ON_OFF", isLamp ? "CONTROL_LIGHT" : "CONTROL_POWER"];
  return (Object.hasOwn(byAttribute, attribute) ? byAttribute[attribute] : undefined) ?? [];
}
