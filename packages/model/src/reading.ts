import type { AttributeName, Capability } from "./capability.ts";

/** The attribute in which a device shows what a capability measures or does. */
export const readings = {
  ACTIVE_POWER: "power",
  ALERT: "alert",
  BATTERY_C: "battery",
  BATTERY_U: "batteryLow",
  BLINDS: "position",
  BRIGHTNESS: "brightness",
  CO: "coDetected",
  CO2: "co2Ppm",
  CONTACT: "open",
  CONTROL_TEMPERATURE: "targetTemperature",
  DEVICE: "reachable",
  DIMMER_CONTROL: "button",
  DOORBELL: "alert",
  EMERGENCY: "alert",
  FAN_MODE: "fanMode",
  FLOW: "flow",
  HIGH_TEMP: "highTemp",
  HUMIDITY: "humidity",
  HVAC: "mode",
  LIFT: "position",
  LOCK: "locked",
  LOW_TEMP: "lowTemp",
  LUX: "lux",
  MEASURE_POWER: "activePower",
  MOISTURE: "moisture",
  MOTION: "motion",
  NOX: "noxIndex",
  ON_OFF: "isOn",
  PM25: "pm25",
  POWER_METER: "totalPower",
  PRESSURE: "pressure",
  REMOTE_CONTROL: "button",
  SHUTTER: "position",
  SIGNAL: "isOn",
  SMOKE: "alert",
  TEMPERATURE: "temperature",
  THERMOSTAT: "targetTemperature",
  TWILIGHT: "twilight",
  USER_PRESENCE: "reachable",
  VALVE: "openPct",
  VOC: "vocPpm",
  VOX: "voxIndex",
  VU: "mode",
} as const satisfies Partial<Record<Capability, AttributeName>>;

/** Returns the attribute of a capability with a name from outside; undefined when it measures nothing. */
export function readingOf(capability: string): AttributeName | undefined {
  return Object.hasOwn(readings, capability) ? readings[capability as keyof typeof readings] : undefined;
}
