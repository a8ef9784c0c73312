import type { Capability, ExtraDescription } from "@ledge/model";
import type { DeviceDescription } from "@ledge/port";

export type Values = Readonly<Record<string, unknown>>;

/** A lamp, a plug, or a room or zone of a bridge, whichever of its interfaces told of it. */
export interface Lamp {
  /** As in the bridge's first interface, such as `lights/1` or `groups/3`: it stays when the bridge is updated. */
  readonly id: string;
  readonly kind: "lamp" | "plug" | "group";
  readonly name: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly dims: boolean;
  readonly hasColor: boolean;
  /** The range of its white, K. */
  readonly white: { readonly least: number; readonly most: number } | undefined;
  /** Of a group: names and what recalls them. */
  readonly scenes: ReadonlyMap<string, string>;
  readonly isReachable: boolean;
  readonly isOn: boolean;
  /** 0..1 */
  readonly brightness: number | undefined;
  readonly color: Color | undefined;
}

/** The colour that a lamp shows. */
export type Color =
  | { readonly mode: "ct"; readonly kelvin: number }
  | { readonly mode: "hs"; readonly hue: number; readonly saturation: number };

/** The extra of a group that recalls a scene. */
export const sceneExtra = "scene";

/** Returns the hub's description of a lamp. */
export function describe(native: string, radio: string, lamp: Lamp): DeviceDescription {
  const { kind, name, manufacturer, model, dims, hasColor, white, scenes } = lamp;
  const capabilities: Capability[] = ["DEVICE", "ON_OFF"];
  if (kind === "plug") capabilities.push("CONTROL_POWER");
  else capabilities.push("CONTROL_LIGHT", "TRANSITION");
  if (kind !== "group") capabilities.push("IDENTIFY");
  if (dims) capabilities.push("BRIGHTNESS");
  if (hasColor) capabilities.push("COLOR_HS");
  if (white !== undefined) capabilities.push("COLOR_TEMP");
  const options = [...scenes.keys()].slice(0, 200);
  const scene: ExtraDescription = {
    name: sceneExtra,
    fieldType: "OPTION",
    unit: null,
    writable: true,
    momentary: true,
    options,
  };
  return {
    native,
    radio,
    class: kind === "plug" ? "POWER_SOCKET" : "LIGHT",
    capabilities,
    name,
    manufacturer,
    model,
    ...(options.length > 0 && { stateExtras: [scene] }),
  };
}

/** Returns the attributes of a lamp. */
export function attributesOf({ isReachable, isOn, brightness, color, white, hasColor }: Lamp): Values {
  return {
    reachable: isReachable,
    isOn,
    ...(brightness !== undefined && { brightness }),
    ...(white !== undefined && { minTemperature: white.least, maxTemperature: white.most }),
    ...(color?.mode === "ct" && {
      colorMode: "ct",
      temperature: color.kelvin,
      ...(hasColor && { hue: -1, saturation: -1 }),
    }),
    ...(color?.mode === "hs" && {
      colorMode: "hs",
      hue: color.hue,
      saturation: color.saturation,
      ...(white !== undefined && { temperature: -1 }),
    }),
  };
}

/** What a command asks of a lamp, in units of the hub. */
export interface Wanted {
  readonly isOn?: boolean;
  readonly brightness?: number;
  readonly kelvin?: number;
  readonly color?: { readonly hue: number; readonly saturation: number };
  readonly transitionMsec?: number;
  /** What recalls the scene. */
  readonly scene?: string;
}

/** Returns what attributes ask of a lamp; undefined if it takes none of them. */
export function wantedBy(attributes: Values, lamp: Lamp): Wanted | undefined {
  const { isOn, brightness, temperature, transitionMsec } = attributes;
  const wanted: { -readonly [K in keyof Wanted]: Wanted[K] } = {};
  if (typeof isOn === "boolean") wanted.isOn = isOn;
  if (lamp.dims && typeof brightness === "number") wanted.brightness = brightness;
  if (lamp.white !== undefined && typeof temperature === "number" && temperature > 0)
    wanted.kelvin = Math.min(lamp.white.most, Math.max(lamp.white.least, temperature));
  const [hue, saturation] = (["hue", "saturation"] as const).map((name) => {
    const asked = attributes[name];
    if (typeof asked === "number" && asked >= 0) return asked;
    return lamp.color?.mode === "hs" ? lamp.color[name] : undefined;
  });
  const isColor = [attributes["hue"], attributes["saturation"]].some(
    (each) => typeof each === "number" && each >= 0,
  );
  if (lamp.hasColor && isColor) wanted.color = { hue: hue ?? 0, saturation: saturation ?? 1 };
  const scene = lamp.scenes.get(String(attributes[`extras.${sceneExtra}`]));
  if (scene !== undefined) wanted.scene = scene;
  if (Object.keys(wanted).length === 0) return undefined;
  if (typeof transitionMsec === "number") wanted.transitionMsec = transitionMsec;
  return wanted;
}
