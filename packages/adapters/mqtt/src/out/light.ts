import type { Entity, Wanted } from "./entity.ts";
import { can, numberOf } from "./entity.ts";
import type { ServedDevice } from "./home.ts";

type Json = Readonly<Record<string, unknown>>;

/** Home Assistant counts brightness from 1 to 255 while a lamp is on; the hub's 0.0 is the lowest at which it is on. */
const most = 255;
const toBrightness = (share: number): number => 1 + Math.round(share * (most - 1));
const ofBrightness = (value: number): number => (value - 1) / (most - 1);
const mired = (kelvin: number): number => Math.round(1_000_000 / kelvin);
const degrees = 180 / Math.PI;

export function isLight(device: Pick<ServedDevice, "class">): boolean {
  return device.class === "LIGHT";
}

/** Returns the entity of a lamp, with the JSON schema of Home Assistant's MQTT light. */
export function lightOf({ device, places, takes }: Wanted): readonly Entity[] {
  if (!isLight(device) || !takes("isOn")) return [];
  const modes = modesOf(device);
  const range = can(device, "COLOR_TEMP") ? rangeOf(device) : {};
  const effects = (device.effects ?? []).filter((each) => typeof each === "string");
  const config = {
    schema: "json",
    state_topic: places.part("light"),
    command_topic: places.setPart("light"),
    brightness: modes[0] !== "onoff",
    supported_color_modes: modes,
    ...range,
    ...(effects.length > 0 && { effect: true, effect_list: effects }),
  };
  return [{ component: "light", key: "light", name: null, config }];
}

function modesOf(device: ServedDevice): readonly string[] {
  const modes = [
    ...(can(device, "COLOR_HS") ? ["hs"] : []),
    ...(can(device, "COLOR_TEMP") ? ["color_temp"] : []),
  ];
  if (modes.length > 0) return modes;
  return can(device, "BRIGHTNESS") ? ["brightness"] : ["onoff"];
}

function rangeOf(device: ServedDevice): Json {
  const [least, hottest] = [numberOf(device, "minTemperature"), numberOf(device, "maxTemperature")];
  if (least === undefined || hottest === undefined || least <= 0 || hottest < least) return {};
  return { min_mireds: mired(hottest), max_mireds: mired(least) };
}

/** Returns the state of a lamp as Home Assistant reads it. */
export function lightState(device: ServedDevice): Json {
  const { state } = device;
  const brightness = numberOf(device, "brightness");
  const shown: Record<string, unknown> = { state: state["isOn"] === true ? "ON" : "OFF" };
  if (brightness !== undefined) shown["brightness"] = toBrightness(brightness);
  const modes = modesOf(device);
  const isColoured = modes.includes("hs") && (state["colorMode"] === "hs" || modes.length === 1);
  const [hue, saturation, kelvin] = ["hue", "saturation", "temperature"].map((name) =>
    numberOf(device, name),
  );
  if (isColoured) {
    shown["color_mode"] = "hs";
    if (hue !== undefined && saturation !== undefined && hue >= 0 && saturation >= 0)
      shown["color"] = { h: rounded(hue * degrees), s: rounded(saturation * 100) };
  } else if (modes.includes("color_temp")) {
    shown["color_mode"] = "color_temp";
    if (kelvin !== undefined && kelvin > 0) shown["color_temp"] = mired(kelvin);
  } else shown["color_mode"] = modes[0];
  if (typeof state["effect"] === "string") shown["effect"] = state["effect"];
  return shown;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

/**
 * Returns the attributes that Home Assistant's command to a lamp sets.
 * @returns why not, as a text
 */
export function lightCommand(command: unknown): Json | string {
  if (typeof command !== "object" || command === null || Array.isArray(command))
    return "must be a JSON object";
  const { state, brightness, color, color_temp: warmth, transition, effect } = command as Json;
  const wanted: Record<string, unknown> = {};
  if (state === "OFF") wanted["isOn"] = false;
  else if (state === "ON") wanted["isOn"] = true;
  else if (state !== undefined) return "state: must be ON or OFF";
  if (brightness !== undefined) {
    if (!isIn(brightness, 0, most)) return `brightness: must be 0 to ${most}`;
    if (brightness < 1) wanted["isOn"] = false;
    else wanted["brightness"] = ofBrightness(brightness);
  }
  if (color !== undefined) {
    const { h, s } = { ...(color as Json | null) };
    if (!isIn(h, 0, 360) || !isIn(s, 0, 100)) return "color: must have h of 0 to 360 and s of 0 to 100";
    Object.assign(wanted, { colorMode: "hs", hue: Math.min(h / degrees, 2 * Math.PI), saturation: s / 100 });
  } else if (warmth !== undefined) {
    if (!isIn(warmth, 1, 100_000)) return "color_temp: must be mireds";
    Object.assign(wanted, { colorMode: "ct", temperature: Math.round(1_000_000 / warmth) });
  }
  if (transition !== undefined) {
    if (!isIn(transition, 0, 3600)) return "transition: must be 0 to 3600 seconds";
    wanted["transitionMsec"] = Math.round(transition * 1000);
  }
  if (effect !== undefined) {
    if (typeof effect !== "string") return "effect: must be a word";
    wanted["effect"] = effect;
  }
  return Object.keys(wanted).length > 0 ? wanted : "says nothing";
}

function isIn(value: unknown, least: number, greatest: number): value is number {
  return typeof value === "number" && value >= least && value <= greatest;
}
