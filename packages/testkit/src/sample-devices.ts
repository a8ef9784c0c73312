/** Devices of several classes, their settings and their firmware, for tests. */
import type { Capability, ConfigurationItem, DeviceClass, UpgradeReport } from "@ledge/model";

/** What an adapter says of a device, beside its name and where it is. */
export function contentOf(type: DeviceClass, capabilities: readonly Capability[]) {
  return { class: type, capabilities, manufacturer: null, model: null, extras: {} } as const;
}

/** The command by which an adapter adds a lamp. */
export function addLamp(name = "Lamp", native = "1") {
  return {
    type: "ADD_DEVICE",
    name,
    protocol: "sim",
    native,
    radio: "sim",
    ...contentOf("LIGHT", ["DEVICE", "ON_OFF", "BRIGHTNESS"]),
  };
}

/** The event that brings a device into being; its id is what it is. */
function added(id: string, type: DeviceClass, capabilities: readonly Capability[]) {
  return { type: "DeviceAdded", id, name: id, ...contentOf(type, capabilities) };
}

/** What an adapter reported of a device, at `at` (ms). */
export function reported(id: string, attributes: Readonly<Record<string, unknown>>, at = 5) {
  return { type: "DeviceReported", id, attributes, at };
}

/** A lamp with white in all temperatures. */
export const lamp = added("lamp", "LIGHT", ["DEVICE", "ON_OFF", "BRIGHTNESS", "COLOR_TEMP", "CONTROL_LIGHT"]);
/** A lamp with colours and white. */
export const colourLamp = added("colour lamp", "LIGHT", [...lamp.capabilities, "COLOR_HS", "TRANSITION"]);
export const socket = added("socket", "POWER_SOCKET", ["DEVICE", "ON_OFF", "CONTROL_POWER", "ACTIVE_POWER"]);
export const thermostat = added("thermostat", "THERMOSTAT", ["DEVICE", "THERMOSTAT", "TEMPERATURE"]);
export const blinds = added("blinds", "BLINDS", ["DEVICE", "BLINDS", "LIFT"]);
export const motion = added("motion", "MOTION", ["DEVICE", "MOTION", "BATTERY_U"]);
export const contact = added("contact", "CONTACT", ["DEVICE", "CONTACT"]);
export const smoke = added("smoke", "SMOKE_ALARM", ["DEVICE", "SMOKE"]);
export const twilight = added("twilight", "TWILIGHT", ["DEVICE", "TWILIGHT"]);
export const remote = added("remote", "REMOTE_CONTROL", ["DEVICE", "REMOTE_CONTROL"]);
export const siren = added("siren", "ALARM_DEVICE", ["DEVICE", "GENERATE_ALERT"]);
export const player = added("player", "MEDIA_RENDERER", ["DEVICE", "ON_OFF", "VOLUME", "PLAY", "NEXT"]);

/** A setting as an adapter describes it, of which nothing is said but its name, its type and `more`. */
export function setting(
  name: string,
  fieldType: ConfigurationItem["fieldType"],
  more: Partial<ConfigurationItem> = {},
): ConfigurationItem {
  return {
    name,
    fieldType,
    label: { en: name },
    help: null,
    defaultValue: null,
    options: [],
    minValue: null,
    maxValue: null,
    readOnly: false,
    ...more,
  };
}

/** What an adapter says of a firmware for which there is a newer one. */
export const upgradeAvailable: UpgradeReport = {
  status: "AVAILABLE",
  fwVersion: "1.0",
  swVersion: null,
  newFwVersion: "1.1",
  newSwVersion: null,
  lastUpgrade: 0,
  autoInstall: false,
  pctComplete: null,
  etaMs: null,
  message: null,
};
