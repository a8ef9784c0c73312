import type { Capability, DeviceClass, ExtraDescription } from "@ledge/model";
import {
  barometer,
  battery,
  cell,
  co2Meter,
  hygrometer,
  luxMeter,
  signal,
  thermometer,
  twilight,
  vocMeter,
} from "./behaviour/air.ts";
import type { Part } from "./behaviour/behaviour.ts";
import { boost, boostExtras, choice, thermostat, ventilation } from "./behaviour/climate.ts";
import { coDetector, leakDetector, siren, smokeDetector } from "./behaviour/hazard.ts";
import { light } from "./behaviour/light.ts";
import { camera, player } from "./behaviour/media.ts";
import { blind, tilt, valve } from "./behaviour/motor.ts";
import {
  coffeeMaker,
  computer,
  fridge,
  heatPump,
  lampLoad,
  meter,
  relay,
  steady,
  television,
  washer,
} from "./behaviour/power.ts";
import { bell, door, motion, remote, window } from "./behaviour/presence.ts";
import type { Place } from "./house.ts";

/**
 * One device of the simulated home. Its parts step in order; a later part sees the attributes of earlier
 * ones.
 */
export interface DeviceRow {
  readonly native: string;
  readonly radio: "air" | "wire";
  readonly place: Place;
  readonly class: DeviceClass;
  /** Capabilities besides DEVICE, which every device has. */
  readonly capabilities: readonly Capability[];
  readonly name: string;
  readonly model: string;
  readonly parts: readonly Part[];
  readonly extras?: Readonly<Record<string, unknown>>;
  readonly stateExtras?: readonly ExtraDescription[];
  /** It stays unplugged until a script plugs it in. */
  readonly unplugged?: true;
}

type Row = Omit<DeviceRow, "native" | "radio" | "place" | "class">;

const row =
  (place: Place, radio: DeviceRow["radio"] = "air") =>
  (deviceClass: DeviceClass, id: string, rest: Row): DeviceRow => ({
    native: `${place}/${id}`,
    radio,
    place,
    class: deviceClass,
    ...rest,
  });

const dimmable: readonly Capability[] = [
  "ON_OFF",
  "CONTROL_LIGHT",
  "BRIGHTNESS",
  "TRANSITION",
  "ALERT",
  "IDENTIFY",
];
const white: readonly Capability[] = [...dimmable, "COLOR_TEMP"];
const colours: readonly Capability[] = [...white, "COLOR_HS"];
const metered: readonly Capability[] = ["MEASURE_POWER", "ACTIVE_POWER", "POWER_METER"];
const socket: readonly Capability[] = ["ON_OFF", "CONTROL_POWER", ...metered];

const playing: readonly Capability[] = ["PLAY", "PAUSE", "STOP", "NEXT", "PREVIOUS"];

const colourLamp = { model: "Glow RGBW", capabilities: colours } as const;
const whiteLamp = { model: "Glow White", capabilities: white } as const;
const rgbw = { dims: true, colours: true, white: [2000, 6500] } as const;
const warmToCold = { dims: true, white: [2200, 4000] } as const;

const living = row("living");
const kitchen = row("kitchen");
const bedroom = row("bedroom");
const bathroom = row("bathroom");
const hallway = row("hallway");
const utility = row("utility");
const outdoors = row("outdoors");

const buttons = ["On", "Brighter", "Darker", "Off"].map((label, index) => ({
  type: "RC_BUTTON",
  id: index + 1,
  label,
}));

/** The devices, room by room. */
export const home: readonly DeviceRow[] = [
  living("LIGHT", "ceiling", { ...colourLamp, name: "Living room ceiling", parts: [light(rgbw)] }),
  living("LIGHT", "floor", {
    ...whiteLamp,
    name: "Floor lamp",
    capabilities: [...white, "UPGRADE"],
    parts: [light(warmToCold)],
  }),
  living("POWER_SOCKET", "television", {
    name: "Television",
    model: "Plug M",
    capabilities: [...socket, "RSSI"],
    parts: [relay(true), meter(television, 0.6), signal],
  }),
  living("POWER_SOCKET", "computer", {
    name: "Computer",
    model: "Plug M",
    capabilities: socket,
    parts: [relay(true), meter(computer, 2)],
  }),
  living("MOTION", "motion", {
    name: "Living room motion",
    model: "Eye",
    capabilities: ["MOTION", "LUX", "TEMPERATURE", "BATTERY_U"],
    parts: [motion, luxMeter, thermometer, cell],
  }),
  living("MULTI_SENSOR", "climate", {
    name: "Living room climate",
    model: "Air T",
    capabilities: ["TEMPERATURE", "HUMIDITY", "BATTERY_C"],
    parts: [thermometer, hygrometer, battery],
  }),
  row("living", "wire")("THERMOSTAT", "thermostat", {
    name: "Living room thermostat",
    model: "Warm 2",
    capabilities: ["THERMOSTAT", "CONTROL_TEMPERATURE", "TEMPERATURE", "CONFIGURABLE"],
    parts: [thermostat(21)],
  }),
  living("REMOTE_CONTROL", "remote", {
    name: "Remote control",
    model: "Four keys",
    capabilities: ["REMOTE_CONTROL", "BATTERY_C"],
    parts: [remote(buttons.length, 3 * 3_600_000), battery],
    extras: { buttons },
  }),
  living("BLINDS", "blinds", {
    name: "Living room blinds",
    model: "Shade L",
    capabilities: ["BLINDS", "LIFT", "TILT"],
    parts: [blind(25_000), tilt],
  }),
  living("CONTACT", "balcony-door", {
    name: "Balcony door",
    model: "Reed",
    capabilities: ["CONTACT", "BATTERY_U"],
    parts: [window, cell],
  }),

  row("living", "wire")("MEDIA_RENDERER", "speaker", {
    name: "Living room speaker",
    model: "Sound 1",
    capabilities: ["ON_OFF", ...playing, "VOLUME", "MUTE", "BASS", "TREBLE", "LOUDNESS"],
    parts: [player],
  }),

  kitchen("LIGHT", "ceiling", {
    name: "Kitchen ceiling",
    model: "Dimmer 2",
    capabilities: [...dimmable, ...metered],
    parts: [light({ dims: true }), meter(lampLoad(38))],
  }),
  kitchen("LIGHT", "counter", {
    ...whiteLamp,
    name: "Kitchen counter",
    capabilities: [...white, "UPGRADE"],
    parts: [light(warmToCold)],
  }),
  kitchen("POWER_SOCKET", "coffee", {
    name: "Coffee maker",
    model: "Plug M",
    capabilities: socket,
    parts: [relay(true), meter(coffeeMaker)],
  }),
  kitchen("POWER_SOCKET", "fridge", {
    name: "Fridge",
    model: "Plug M",
    capabilities: socket,
    parts: [relay(true), meter(fridge, 1.2)],
  }),
  kitchen("MOTION", "motion", {
    name: "Kitchen motion",
    model: "Eye",
    capabilities: ["MOTION", "LUX", "BATTERY_U", "UPGRADE"],
    parts: [motion, luxMeter, cell],
  }),
  kitchen("MOISTURE", "leak", {
    name: "Dishwasher leak",
    model: "Drop",
    capabilities: ["MOISTURE", "BATTERY_U"],
    parts: [leakDetector, cell],
  }),
  row("kitchen", "wire")("THERMOSTAT", "heat-pump", {
    name: "Heat pump",
    model: "Arctic 9",
    capabilities: [
      "AIRCON",
      "HVAC",
      "CONTROL_MODE",
      "CONTROL_TEMPERATURE",
      "TEMPERATURE",
      "FAN_MODE",
      ...metered,
    ],
    parts: [choice("mode", 1), choice("fanMode", 5), thermostat(20.5), meter(heatPump, 4), boost],
    stateExtras: boostExtras,
  }),

  bedroom("LIGHT", "ceiling", { ...whiteLamp, name: "Bedroom ceiling", parts: [light(warmToCold)] }),
  bedroom("LIGHT", "bedside", {
    ...colourLamp,
    name: "Bedside lamp",
    parts: [light(rgbw)],
    unplugged: true,
  }),
  bedroom("CO2_SENSOR", "air", {
    name: "Bedroom air",
    model: "Air C",
    capabilities: ["CO2", "VOC", "TEMPERATURE", "HUMIDITY"],
    parts: [co2Meter, vocMeter, thermometer, hygrometer],
  }),
  row("bedroom", "wire")("THERMOSTAT", "thermostat", {
    name: "Bedroom thermostat",
    model: "Warm 2",
    capabilities: ["THERMOSTAT", "CONTROL_TEMPERATURE", "TEMPERATURE", "CONTROL_PRESET"],
    parts: [thermostat(19), choice("preset", 0)],
  }),
  bedroom("BLINDS", "blinds", {
    name: "Bedroom blinds",
    model: "Shade S",
    capabilities: ["BLINDS", "LIFT"],
    parts: [blind(18_000)],
  }),
  bedroom("CONTACT", "window", {
    name: "Bedroom window",
    model: "Reed",
    capabilities: ["CONTACT", "BATTERY_U"],
    parts: [window, cell],
  }),

  bathroom("MULTI_SENSOR", "climate", {
    name: "Bathroom climate",
    model: "Air T",
    capabilities: ["TEMPERATURE", "HUMIDITY", "BATTERY_C", "CONFIGURABLE"],
    parts: [thermometer, hygrometer, battery],
  }),
  row("bathroom", "wire")("POWER_SOCKET", "floor-heating", {
    name: "Floor heating",
    model: "Relay 1",
    capabilities: socket,
    parts: [relay(false), meter(steady(320))],
  }),

  hallway("LIGHT", "ceiling", {
    name: "Hallway ceiling",
    model: "Switch 1",
    capabilities: ["ON_OFF", "CONTROL_LIGHT"],
    parts: [light({ dims: false })],
  }),
  hallway("MOTION", "motion", {
    name: "Hallway motion",
    model: "Eye",
    capabilities: ["MOTION", "LUX", "TEMPERATURE", "BATTERY_U"],
    parts: [motion, luxMeter, thermometer, cell],
  }),
  hallway("CONTACT", "front-door", {
    name: "Front door",
    model: "Reed",
    capabilities: ["CONTACT", "BATTERY_U"],
    parts: [door, cell],
  }),
  hallway("SMOKE_ALARM", "smoke", {
    name: "Smoke alarm",
    model: "Sniff",
    capabilities: ["SMOKE", "BATTERY_U"],
    parts: [smokeDetector, cell],
  }),
  hallway("ALARM_DEVICE", "siren", {
    name: "Siren",
    model: "Howl",
    capabilities: ["ON_OFF", "GENERATE_ALERT"],
    parts: [siren],
  }),
  hallway("DOORBELL", "bell", {
    name: "Doorbell",
    model: "Ring",
    capabilities: ["DOORBELL", "ALERT", "BATTERY_C"],
    parts: [bell, battery],
  }),

  utility("POWER_SOCKET", "washer", {
    name: "Washing machine",
    model: "Plug M",
    capabilities: socket,
    parts: [relay(true), meter(washer, 0.8)],
  }),
  utility("MOISTURE", "leak", {
    name: "Washing machine leak",
    model: "Drop",
    capabilities: ["MOISTURE", "BATTERY_U"],
    parts: [leakDetector, cell],
  }),
  utility("CO", "co", {
    name: "CO alarm",
    model: "Canary",
    capabilities: ["CO", "BATTERY_U"],
    parts: [coDetector, cell],
  }),
  row("utility", "wire")("SIGNAL", "water", {
    name: "Main water valve",
    model: "Tap 1",
    capabilities: ["SIGNAL", "VALVE"],
    parts: [valve],
  }),
  row("utility", "wire")("THERMOSTAT", "ventilation", {
    name: "Ventilation unit",
    model: "Breeze 120",
    capabilities: ["VU", "VU_FN_FIREPLACE"],
    parts: [choice("mode", 2, { from: 4, to: 2, afterMs: 1_800_000 }), ventilation],
  }),

  outdoors("TWILIGHT", "twilight", {
    name: "Twilight sensor",
    model: "Dusk",
    capabilities: ["TWILIGHT", "LUX"],
    parts: [twilight, luxMeter],
  }),
  outdoors("MULTI_SENSOR", "weather", {
    name: "Weather",
    model: "Vane",
    capabilities: ["TEMPERATURE", "HUMIDITY", "PRESSURE", "BATTERY_U"],
    parts: [thermometer, hygrometer, barometer, cell],
  }),
  row("outdoors", "wire")("CAMERA", "camera", {
    name: "Yard camera",
    model: "Lens 1",
    capabilities: ["ON_OFF", "RECORD_VIDEO", "LIVE_FEED", "ONVIF_API"],
    parts: [camera],
  }),
  outdoors("MOTION", "motion", {
    name: "Yard motion",
    model: "Eye X",
    capabilities: ["MOTION", "BATTERY_U"],
    parts: [motion, cell],
  }),
];
