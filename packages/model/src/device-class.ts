import type { Capability, DeviceClass } from "./capability.ts";

/** Alarms first, then actuators, then sensors. */
const classes: readonly (readonly [Capability, DeviceClass])[] = [
  ["SMOKE", "SMOKE_ALARM"],
  ["CO", "CO"],
  ["CONTROL_LIGHT", "LIGHT"],
  ["THERMOSTAT", "THERMOSTAT"],
  ["BLINDS", "BLINDS"],
  ["GENERATE_ALERT", "ALARM_DEVICE"],
  ["CONTROL_POWER", "POWER_SOCKET"],
  ["FAN_MODE", "THERMOSTAT"],
  ["MOISTURE", "MOISTURE"],
  ["MOTION", "MOTION"],
  ["CONTACT", "CONTACT"],
  ["LOCK", "MULTI_SENSOR"],
  ["SELF_MOTION", "MOTION"],
  ["EMERGENCY", "EMERGENCY"],
  ["REMOTE_CONTROL", "REMOTE_CONTROL"],
  ["CO2", "CO2_SENSOR"],
];

/** Returns the class of a device that says nothing but what it can do: that of its foremost capability. */
export function deviceClassOf(capabilities: readonly Capability[]): DeviceClass {
  return classes.find(([capability]) => capabilities.includes(capability))?.[1] ?? "MULTI_SENSOR";
}
