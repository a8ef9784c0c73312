/** Devices of several classes, for tests. */

/** The command by which an adapter adds a lamp. */
export function addLamp(name = "Lamp", native = "1") {
  return {
    type: "ADD_DEVICE",
    name,
    protocol: "sim",
    native,
    radio: "sim",
    class: "LIGHT",
    capabilities: ["DEVICE", "ON_OFF", "BRIGHTNESS"],
    manufacturer: null,
    model: null,
    extras: {},
  };
}

/** The event that brings a device into being; its id is what it is. */
function added(id: string, type: string, capabilities: readonly string[]) {
  const content = { class: type, capabilities, manufacturer: null, model: null, extras: {} };
  return { type: "DeviceAdded", id, name: id, ...content };
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
