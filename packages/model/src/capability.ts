import Type from "typebox";
import { unchangedIfNull } from "./schema.ts";

/**
 * Capability names of hub-api 2.5 and wire-facts 1.1; COVER_STOP, DOORBELL, EMERGENCY, LOCK and those
 * for what Zigbee devices measure besides are our own. Unknown names are passed on, never refused.
 */
export const capabilities = [
  "ACTIVE_POWER",
  "AIRCON",
  "AIR_QUALITY",
  "ALERT",
  "APPARENT_POWER",
  "BASS",
  "BATTERY_C",
  "BATTERY_U",
  "BLINDS",
  "BRIGHTNESS",
  "CO",
  "CO2",
  "COLOR_HS",
  "COLOR_LOOP",
  "COLOR_TEMP",
  "CONFIGURABLE",
  "CONTACT",
  "CONTROL_LIGHT",
  "CONTROL_MODE",
  "CONTROL_POWER",
  "CONTROL_PRESET",
  "CONTROL_TEMPERATURE",
  "COVER_STOP",
  "CURRENT",
  "DEVICE",
  "DEVICE_TEMPERATURE",
  "DIMMER_CONTROL",
  "DOORBELL",
  "EFFECT",
  "EMERGENCY",
  "FAN_MODE",
  "FLOW",
  "FLOW_TEMPERATURE",
  "FLOW_VOLUME",
  "FORMALDEHYDE",
  "FOSCAM_API",
  "FREQUENCY",
  "GENERATE_ALERT",
  "GRADIENT",
  "HIGH_TEMP",
  "HUE_SWITCH",
  "HUMIDITY",
  "HVAC",
  "IDENTIFY",
  "IKEA_RC",
  "LIFT",
  "LIVE_FEED",
  "LOCK",
  "LOCK_STATE",
  "LOUDNESS",
  "LOW_TEMP",
  "LUX",
  "MEASURE_POWER",
  "MOISTURE",
  "MOTION",
  "MUTE",
  "NEXT",
  "NOX",
  "ONVIF_API",
  "ON_OFF",
  "PAUSE",
  "PHASES",
  "PLAY",
  "PM1",
  "PM10",
  "PM25",
  "POWER_FACTOR",
  "POWER_METER",
  "POWER_OUTAGES",
  "PRESSURE",
  "PREVIOUS",
  "PRODUCED_ENERGY",
  "PUSH_NOTIFICATION",
  "REACTIVE_POWER",
  "RECORD_AUDIO",
  "RECORD_VIDEO",
  "REMOTE_CONTROL",
  "RSSI",
  "RUNNING_STATE",
  "SEEK",
  "SELF_MOTION",
  "SHUTTER",
  "SIGNAL",
  "SMOKE",
  "SOIL_MOISTURE",
  "STOP",
  "TARGET_DISTANCE",
  "TEMPERATURE",
  "THERMOSTAT",
  "TILT",
  "TRANSITION",
  "TREBLE",
  "TWILIGHT",
  "UPGRADE",
  "UPTIME",
  "USER_PRESENCE",
  "VALVE",
  "VOC",
  "VOLTAGE",
  "VOLUME",
  "VOX",
  "VU",
  "VU_FN_FIREPLACE",
  "WINDOW",
] as const;

/** The name of a capability. */
export type Capability = (typeof capabilities)[number];

/**
 * How reports of an attribute are handled on their way: of a `level` only the newest value counts, and it may
 * wait to be batched; each `pulse` counts and is never merged with another.
 */
export type Cadence = "level" | "pulse";

/**
 * One key of a device's state object (wire-facts 1.1): its values, its cadence, and the capabilities that
 * make it settable.
 */
export interface Attribute {
  /** The values that a report or a command may have. */
  readonly value: Type.TSchema;
  readonly cadence: Cadence;
  /** A press, not a state: every report counts, even with the same value. */
  readonly momentary?: true;
  /** A device with one of these capabilities takes commands for it; empty: read-only. */
  readonly settableBy: readonly Capability[];
}

const level = (value: Type.TSchema, ...settableBy: Capability[]): Attribute => ({
  value,
  cadence: "level",
  settableBy,
});
const pulse = (value: Type.TSchema, ...settableBy: Capability[]): Attribute => ({
  value,
  cadence: "pulse",
  settableBy,
});

const bool = Type.Boolean();
const number = Type.Number();
const time = Type.Integer({ minimum: 0 });
const percent = Type.Number({ minimum: 0, maximum: 100 });
const fraction = Type.Number({ minimum: 0, maximum: 1 });
/** -1 means that the lamp is in another colour mode. */
const otherMode = Type.Literal(-1);
const choice = (maximum: number): Type.TSchema => Type.Integer({ minimum: 0, maximum });

const word = Type.String({ maxLength: 64 });

/** A reading of the mains as a whole, and by phase. */
function phases<Name extends string>(name: Name): Record<`${Name}${"" | "A" | "B" | "C"}`, Attribute> {
  const names = ["", "A", "B", "C"].map((phase) => [name + phase, level(number)]);
  return Object.fromEntries(names) as Record<`${Name}${"" | "A" | "B" | "C"}`, Attribute>;
}

const rcData = Type.Object({
  type: Type.Optional(Type.Literal("MR_RC_DATA")),
  volume: unchangedIfNull(Type.Integer({ minimum: 0, maximum: 100 })),
  bass: unchangedIfNull(Type.Integer({ minimum: -10, maximum: 10 })),
  treble: unchangedIfNull(Type.Integer({ minimum: -10, maximum: 10 })),
  mute: unchangedIfNull(bool),
  loudness: unchangedIfNull(bool),
});
const avtData = Type.Object({ type: Type.Optional(Type.Literal("MR_AVT_DATA")) });

/**
 * Units: W, kWh, V, Pa, ppm, ug/m3 of fine dust, 1 to 500 for an air index, dBm, deg C, l/h, l, ms since the
 * epoch; colour temperature in K, hue in rad. Of the mains: V, A, Hz, VA, var, a power factor of -1 to 1, and W
 * and kWh by phase. Formaldehyde and fine dust in ug/m3, a distance in m, uptime in s.
 */
export const attributes = {
  reachable: pulse(bool),
  lastSeen: level(time),
  isOn: pulse(bool, "ON_OFF", "SIGNAL", "GENERATE_ALERT"),
  brightness: level(fraction, "BRIGHTNESS"),
  colorMode: level(Type.Union([Type.Literal("hs"), Type.Literal("ct")]), "COLOR_HS", "COLOR_TEMP"),
  hue: level(Type.Union([Type.Number({ minimum: 0, maximum: 2 * Math.PI }), otherMode]), "COLOR_HS"),
  saturation: level(Type.Union([fraction, otherMode]), "COLOR_HS"),
  temperature: level(number, "COLOR_TEMP"),
  minTemperature: level(number),
  maxTemperature: level(number),
  transitionMsec: level(Type.Integer({ minimum: 0, maximum: 3_600_000 }), "TRANSITION", "CONTROL_LIGHT"),
  motion: pulse(bool),
  lastMotion: level(time),
  humidity: level(percent),
  moisture: pulse(bool),
  moistureAt: level(time),
  open: pulse(bool),
  locked: pulse(bool, "LOCK"),
  lastChange: level(time),
  twilight: pulse(bool),
  twilightStart: level(time),
  twilightStop: level(time),
  lux: level(Type.Number({ minimum: 0 })),
  alert: pulse(bool),
  alertAt: level(time),
  alertStartAt: level(time),
  co2Ppm: level(Type.Number({ minimum: 0 })),
  coDetected: pulse(bool),
  coAt: level(time),
  coStartAt: level(time),
  vocPpm: level(Type.Number({ minimum: 0 })),
  voxIndex: level(Type.Number({ minimum: 0 })),
  noxIndex: level(Type.Number({ minimum: 0 })),
  pm25: level(Type.Number({ minimum: 0 })),
  pressure: level(number),
  rcData: level(rcData, "VOLUME", "MUTE", "BASS", "TREBLE", "LOUDNESS"),
  avtData: level(avtData, "PLAY", "PAUSE", "STOP", "NEXT", "PREVIOUS", "SEEK"),
  /** The token of the camera stream that is shown. */
  media: level(Type.String()),
  connectionState: level(Type.String()),
  viewerCount: level(Type.Integer({ minimum: 0 })),
  recording: pulse(bool, "RECORD_VIDEO", "RECORD_AUDIO"),
  button: { ...pulse(Type.Integer({ minimum: 0 })), momentary: true },
  modifiers: pulse(Type.Array(Type.String(), { maxItems: 8 })),
  batteryV: level(number),
  batteryLow: pulse(bool),
  battery: level(percent),
  activePower: level(number),
  power: level(number),
  totalPower: level(number),
  powerToday: level(number),
  rssi: level(number),
  flow: level(number),
  volume: level(number),
  flowTemp: level(number),
  targetTemp: level(Type.Number({ minimum: -50, maximum: 150 }), "THERMOSTAT", "CONTROL_TEMPERATURE"),
  targetTemperature: level(Type.Number({ minimum: -50, maximum: 150 }), "THERMOSTAT", "CONTROL_TEMPERATURE"),
  heatingDemand: level(fraction),
  mode: level(choice(6), "HVAC", "AIRCON", "CONTROL_MODE", "VU"),
  preset: level(choice(2), "CONTROL_PRESET"),
  freshTemperature: level(number),
  supplyTemperature: level(number),
  extractTemperature: level(number),
  fn_fireplace: pulse(bool, "VU_FN_FIREPLACE"),
  fanMode: level(choice(6), "FAN_MODE"),
  position: level(fraction, "BLINDS", "SHUTTER", "LIFT"),
  liftPct: level(percent, "BLINDS", "SHUTTER", "LIFT"),
  tiltPct: level(percent, "TILT"),
  /** Stops a cover where it is. Only commands have it, no state. */
  stop: pulse(Type.Literal(true), "COVER_STOP"),
  openPct: level(percent, "VALVE"),
  lowTemp: pulse(bool),
  highTemp: pulse(bool),
  sirenOn: pulse(bool, "GENERATE_ALERT"),
  /** Somebody has opened the device's case. */
  tamper: pulse(bool),
  session: pulse(bool),
  user: level(Type.String()),
  ...phases("voltage"),
  ...phases("current"),
  ...phases("powerFactor"),
  ...phases("apparentPower"),
  ...phases("reactivePower"),
  ...phases("producedEnergy"),
  powerA: level(number),
  powerB: level(number),
  powerC: level(number),
  energyA: level(number),
  energyB: level(number),
  energyC: level(number),
  frequency: level(number),
  soilMoisture: level(percent),
  deviceTemperature: level(number),
  pm1: level(Type.Number({ minimum: 0 })),
  pm10: level(Type.Number({ minimum: 0 })),
  formaldehyde: level(Type.Number({ minimum: 0 })),
  airQuality: level(word),
  targetDistance: level(Type.Number({ minimum: 0 })),
  powerOutages: level(Type.Integer({ minimum: 0 })),
  uptime: level(Type.Number({ minimum: 0 })),
  windowOpen: pulse(bool),
  /** What a heater or cooler is doing, such as `idle`, `heat` or `fan_only`. */
  runningState: level(word),
  /** A lock's own word for its state: `locked`, `unlocked`, or `not_fully_locked`. */
  lockState: level(word),
  /** A word of the device's `effects`: something that a lamp plays. */
  effect: pulse(word, "EFFECT"),
  /** The colours of a lamp's segments. */
  gradient: level(Type.Array(Type.String({ pattern: "^#[0-9a-fA-F]{6}$" }), { maxItems: 64 }), "GRADIENT"),
} as const satisfies Record<string, Attribute>;

/** The attributes that move for a while after a command, until `stop` ends it. */
export const stoppable = ["position", "liftPct", "tiltPct"] as const satisfies readonly AttributeName[];

/** The name of an attribute. */
export type AttributeName = keyof typeof attributes;

const byName: ReadonlyMap<string, Attribute> = new Map(Object.entries(attributes));

/** Returns the attribute with a name from outside; undefined for an unknown one. */
export function attribute(name: string): Attribute | undefined {
  return byName.get(name);
}

/**
 * Lamps and sensors share the key `temperature`: for a lamp it is the colour temperature in K, and settable;
 * for a sensor the air temperature.
 */
export const lampTemperature = Type.Union([
  Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
  otherMode,
]);

/** The `mode` of heating and cooling: 0 off, 1 auto, 2 heat, 3 cool, 5 fan only, 6 dry. */
export const heatingMode: Type.TSchema = Type.Union([choice(3), Type.Integer({ minimum: 5, maximum: 6 })]);
/** The `mode` of a ventilation unit. */
export const ventilationMode: Type.TSchema = choice(4);

/** By device class: the type of its state object and the keys that the object always has (wire-facts 1.2). */
export const deviceClasses = {
  LIGHT: { state: "STATE_LIGHT", keys: { isOn: false, transitionMsec: null } },
  POWER_SOCKET: { state: "STATE_SOCKET", keys: { isOn: false, lastChange: null } },
  MULTI_SENSOR: { state: "STATE_MULTI_SENSOR", keys: {} },
  MOTION: { state: "STATE_MOTION", keys: { motion: false, lastMotion: null } },
  CONTACT: { state: "STATE_CONTACT", keys: { open: false, lastChange: null } },
  SMOKE_ALARM: { state: "STATE_SMOKE_ALARM", keys: { alert: false, alertAt: null, alertStartAt: null } },
  MOISTURE: { state: "STATE_MOISTURE", keys: { moisture: false, moistureAt: null } },
  CO: { state: "STATE_CO_SENSOR", keys: { coDetected: false, coAt: null, coStartAt: null } },
  CO2_SENSOR: { state: "STATE_CO2_SENSOR", keys: { co2Ppm: null } },
  TWILIGHT: { state: "STATE_TWILIGHT", keys: { twilight: false, twilightStart: null, twilightStop: null } },
  UI_DEVICE: { state: "STATE_UI_DEVICE", keys: { session: false, user: null } },
  CAMERA: {
    state: "STATE_CAMERA",
    keys: { isOn: false, recording: false, media: null, viewerCount: 0, connectionState: null },
  },
  REMOTE_CONTROL: { state: "STATE_RC", keys: { button: null, modifiers: [] } },
  MEDIA_RENDERER: { state: "STATE_MEDIA_RENDERER", keys: { isOn: false, avtData: null, rcData: null } },
  THERMOSTAT: { state: "STATE_THERMOSTAT", keys: {} },
  BLINDS: { state: "STATE_BLINDS", keys: {} },
  ALARM_DEVICE: { state: "STATE_ALARM", keys: { isOn: false } },
  DOORBELL: { state: "STATE_DOORBELL", keys: { alert: false } },
  SIGNAL: { state: "STATE_SIGNAL", keys: { isOn: false } },
  CELLULAR_MODEM: { state: "STATE_CELLULAR_MODEM", keys: {} },
  SPEAKER: { state: "STATE_SPEAKER", keys: {} },
  EMERGENCY: { state: "STATE_EMERGENCY", keys: {} },
  VENDOR_HUB: { state: "STATE_HUB", keys: {} },
} as const;

/** The class of a device. */
export type DeviceClass = keyof typeof deviceClasses;

/** Further keys of the devices of a class, with their values until the adapter reports them (wire-facts 1.3). */
export const classExtras: Readonly<Partial<Record<DeviceClass, Readonly<Record<string, unknown>>>>> = {
  CAMERA: {
    cameraId: null,
    credentialStatus: null,
    medias: [],
    ssid: null,
    username: null,
    wifiConnected: false,
  },
  REMOTE_CONTROL: { buttons: [] },
};

/** The times that go with a pulse: the key that says when it was last true, began, or last changed. */
export const pulseTimes = {
  motion: { whenTrue: "lastMotion" },
  moisture: { whenTrue: "moistureAt" },
  open: { onChange: "lastChange" },
  alert: { whenTrue: "alertAt", onRise: "alertStartAt" },
  coDetected: { whenTrue: "coAt", onRise: "coStartAt" },
  twilight: { onRise: "twilightStart", onFall: "twilightStop" },
  isOn: { onChangeIfKept: "lastChange" },
} as const satisfies Partial<Record<AttributeName, PulseTimes>>;

/** The keys of the times that go with a pulse. */
export interface PulseTimes {
  readonly whenTrue?: AttributeName;
  readonly onChange?: AttributeName;
  /** The same, on devices of a class that has the key. */
  readonly onChangeIfKept?: AttributeName;
  readonly onRise?: AttributeName;
  readonly onFall?: AttributeName;
}
