/** Sample devices of several classes, their settings and their firmware. */
import type { Capability, ConfigurationItem, DeviceClass, UpgradeReport } from "@ledge/model";

/** Returns what an adapter reports about a device, except its name and address. */
export function contentOf(type: DeviceClass, capabilities: readonly Capability[]) {
  return { class: type, capabilities, manufacturer: null, model: null, extras: {} } as const;
}

/** Returns the command by which an adapter adds a lamp. */
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

/** Returns the event that creates a device. The id is also the name. */
function added(id: string, type: DeviceClass, capabilities: readonly Capability[]) {
  return { type: "DeviceAdded", id, name: id, ...contentOf(type, capabilities) };
}

/** Returns the event of a report about a device, at `at` (ms). */
export function reported(id: string, attributes: Readonly<Record<string, unknown>>, at = 5) {
  return { type: "DeviceReported", id, attributes, at };
}

/** A lamp with white in all colour temperatures. */
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

/** Returns a setting as an adapter describes it, with only a name, a type and `more`. */
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

/** An adapter's report of a newer firmware for a device. */
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
