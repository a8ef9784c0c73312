import type { Key } from "../texts/texts.ts";

/** What of a device decides how it is controlled. */
export interface Controlled {
  readonly type: string;
  readonly capabilities: { readonly values: readonly string[] };
  readonly state: Readonly<Record<string, unknown>>;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** What a player is told, in the order of its buttons. */
export const transportActions = ["PREVIOUS", "PLAY", "PAUSE", "STOP", "NEXT"] as const;
export type TransportAction = (typeof transportActions)[number];

/** A way to control an attribute. Of `rcData`, `part` is the field inside it. A colour is a hue and its saturation. */
export type Control = { readonly attribute: string; readonly part?: string } & (
  | { readonly kind: "switch" }
  | ({ readonly kind: "slider" } & Bounds)
  | ({ readonly kind: "stepper" } & Bounds)
  | { readonly kind: "colour" }
  | { readonly kind: "choice"; readonly options: readonly number[] }
  | { readonly kind: "cover"; readonly canStop: boolean }
  | {
      readonly kind: "transport";
      readonly actions: readonly TransportAction[];
      /** Whether it goes to a place in its track. */
      readonly canSeek: boolean;
    }
  | { readonly kind: "hold"; readonly on: Key; readonly off: Key }
);

type Make = (device: Controlled) => Control;

const slider =
  (attribute: string, min: number, max: number, step: number, part?: string): Make =>
  () => ({ kind: "slider", attribute, min, max, step, ...(part !== undefined && { part }) });
const toggle =
  (attribute: string, part?: string): Make =>
  () => ({ kind: "switch", attribute, ...(part !== undefined && { part }) });
const choice =
  (attribute: string, ...options: readonly number[]): Make =>
  () => ({ kind: "choice", attribute, options });
/** A control of a value that can be set with those of others, and at a time when nobody is there. */
export type Setting = Exclude<Control, { readonly kind: "hold" | "transport" }>;

export function isSetting(control: Control): control is Setting {
  return control.kind !== "hold" && control.kind !== "transport";
}

/** Air conditioners name their setpoint in another way. */
const setpoint: Make = ({ state }) => ({
  kind: "stepper",
  attribute: "targetTemp" in state && !("targetTemperature" in state) ? "targetTemp" : "targetTemperature",
  min: 5,
  max: 35,
  step: 0.5,
});
const cover: Make = ({ capabilities }) => ({
  kind: "cover",
  attribute: "position",
  canStop: capabilities.values.includes("COVER_STOP"),
});
const transport: Make = ({ capabilities }) => ({
  kind: "transport",
  attribute: "avtData",
  actions: transportActions.filter((action) => capabilities.values.includes(action)),
  canSeek: capabilities.values.includes("SEEK"),
});
const heating = choice("mode", 0, 1, 2, 3);

/** Capability -> control; what is not here is text. */
const registry: Readonly<Record<string, Make>> = {
  ON_OFF: toggle("isOn"),
  SIGNAL: toggle("isOn"),
  BRIGHTNESS: slider("brightness", 0, 1, 0.05),
  COLOR_TEMP: ({ state }) => ({
    kind: "slider",
    attribute: "temperature",
    min: numberOr(state["minTemperature"], 2000),
    max: numberOr(state["maxTemperature"], 6500),
    step: 100,
  }),
  COLOR_HS: () => ({ kind: "colour", attribute: "hue" }),
  THERMOSTAT: setpoint,
  CONTROL_TEMPERATURE: setpoint,
  HVAC: heating,
  AIRCON: choice("mode", 0, 1, 2, 3, 5, 6),
  CONTROL_MODE: heating,
  VU: choice("mode", 0, 1, 2, 3, 4),
  VU_FN_FIREPLACE: toggle("fn_fireplace"),
  CONTROL_PRESET: choice("preset", 0, 1, 2),
  FAN_MODE: choice("fanMode", 0, 1, 2, 3, 5),
  BLINDS: cover,
  SHUTTER: cover,
  LIFT: slider("position", 0, 1, 0.05),
  TILT: slider("tiltPct", 0, 100, 5),
  VALVE: slider("openPct", 0, 100, 5),
  ...Object.fromEntries(transportActions.map((action) => [action, transport])),
  LOCK: () => ({ kind: "hold", attribute: "locked", on: "control.lock", off: "control.unlock" }),
  GENERATE_ALERT: () => ({
    kind: "hold",
    attribute: "sirenOn",
    on: "control.alarmOn",
    off: "control.alarmOff",
  }),
  VOLUME: slider("rcData", 0, 100, 5, "volume"),
  MUTE: toggle("rcData", "mute"),
  BASS: slider("rcData", -10, 10, 1, "bass"),
  TREBLE: slider("rcData", -10, 10, 1, "treble"),
  LOUDNESS: toggle("rcData", "loudness"),
};

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** Returns the controls of a device in the order of its capabilities, one for each attribute and kind. */
export function controlsOf(device: Controlled): readonly Control[] {
  const { values } = device.capabilities;
  // A siren sounds only while somebody holds its button, so its switch is not a second way.
  const isSiren = values.includes("GENERATE_ALERT");
  const found = new Map<string, Control>();
  for (const capability of values) {
    if (!Object.hasOwn(registry, capability) || (isSiren && capability === "ON_OFF")) continue;
    const control = registry[capability]?.(device);
    if (control === undefined) continue;
    const name = `${control.kind} ${control.attribute} ${control.part ?? ""}`;
    if (!found.has(name)) found.set(name, control);
  }
  return [...found.values()];
}

/** Returns the control that a tile offers: the first switch. */
export function mainControl(device: Controlled): Control | undefined {
  return controlsOf(device).find(({ kind }) => kind === "switch");
}

/** Returns the value of a control in a state. */
export function valueIn(state: Readonly<Record<string, unknown>>, { attribute, part }: Control): unknown {
  const value = state[attribute];
  if (part === undefined) return value;
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[part] : undefined;
}

/** Returns what to tell a device so that a control gets a value. */
export function valuesFor({ attribute, part }: Control, value: unknown): Readonly<Record<string, unknown>> {
  return { [attribute]: part === undefined ? value : { type: "MR_RC_DATA", [part]: value } };
}
