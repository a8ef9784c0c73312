import type { AttributeName, Capability } from "@ledge/model";
import { isExtra } from "@ledge/model";

const color = ["colorMode", "hue", "saturation", "temperature"] as const;
const setpoint = ["targetTemp", "targetTemperature"] as const;
const place = ["position", "liftPct"] as const;
const keys = ["button", "modifiers"] as const;

/** The attributes that each capability allows a device to report. */
const shownBy: Readonly<Partial<Record<Capability, readonly AttributeName[]>>> = {
  ACTIVE_POWER: ["power"],
  AIR_QUALITY: ["airQuality"],
  APPARENT_POWER: ["apparentPower", "apparentPowerA", "apparentPowerB", "apparentPowerC"],
  BATTERY_C: ["battery"],
  BATTERY_U: ["batteryV", "batteryLow"],
  BLINDS: place,
  BRIGHTNESS: ["brightness"],
  CO: ["coDetected"],
  CO2: ["co2Ppm"],
  COLOR_HS: color,
  COLOR_TEMP: [...color, "minTemperature", "maxTemperature"],
  CONTACT: ["open"],
  CONTROL_MODE: ["mode"],
  CONTROL_PRESET: ["preset"],
  CONTROL_TEMPERATURE: setpoint,
  CURRENT: ["current", "currentA", "currentB", "currentC"],
  // Tamper has no capability of its own.
  DEVICE: ["tamper"],
  DEVICE_TEMPERATURE: ["deviceTemperature"],
  DIMMER_CONTROL: keys,
  EFFECT: ["effect"],
  EMERGENCY: ["alert"],
  FAN_MODE: ["fanMode"],
  FLOW: ["flow"],
  FLOW_VOLUME: ["volume"],
  FORMALDEHYDE: ["formaldehyde"],
  FREQUENCY: ["frequency"],
  GENERATE_ALERT: ["isOn", "sirenOn"],
  GRADIENT: ["gradient"],
  HUMIDITY: ["humidity"],
  HVAC: ["mode"],
  LIFT: place,
  LOCK: ["locked"],
  LOCK_STATE: ["lockState"],
  LUX: ["lux"],
  MEASURE_POWER: ["activePower"],
  MOISTURE: ["moisture"],
  MOTION: ["motion"],
  NOX: ["noxIndex"],
  ON_OFF: ["isOn"],
  PM1: ["pm1"],
  PM10: ["pm10"],
  PM25: ["pm25"],
  POWER_FACTOR: ["powerFactor", "powerFactorA", "powerFactorB", "powerFactorC"],
  PHASES: ["powerA", "powerB", "powerC", "energyA", "energyB", "energyC"],
  POWER_METER: ["totalPower"],
  POWER_OUTAGES: ["powerOutages"],
  PRESSURE: ["pressure"],
  PRODUCED_ENERGY: ["producedEnergy", "producedEnergyA", "producedEnergyB", "producedEnergyC"],
  REACTIVE_POWER: ["reactivePower", "reactivePowerA", "reactivePowerB", "reactivePowerC"],
  REMOTE_CONTROL: keys,
  RSSI: ["rssi"],
  RUNNING_STATE: ["runningState"],
  SELF_MOTION: ["motion"],
  SMOKE: ["alert"],
  SOIL_MOISTURE: ["soilMoisture"],
  TARGET_DISTANCE: ["targetDistance"],
  TEMPERATURE: ["temperature"],
  THERMOSTAT: [...setpoint, "heatingDemand", "temperature"],
  TILT: ["tiltPct"],
  UPTIME: ["uptime"],
  VOC: ["vocPpm"],
  VOLTAGE: ["voltage", "voltageA", "voltageB", "voltageC"],
  VOX: ["voxIndex"],
  WINDOW: ["windowOpen"],
};

/** Returns the attributes that these capabilities allow a device to report. */
export function attributesShown(capabilities: readonly Capability[]): ReadonlySet<string> {
  return new Set<string>(capabilities.flatMap((capability) => shownBy[capability] ?? []));
}

/** Returns only the attributes that a unit may report, and extras. */
export function promised(
  values: Readonly<Record<string, unknown>>,
  { shown }: { readonly shown: ReadonlySet<string> },
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => shown.has(name) || isExtra(name)));
}
