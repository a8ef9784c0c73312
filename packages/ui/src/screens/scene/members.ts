import type { SceneState, StoredRange } from "@ledge/model";
import type { WantedPreset, WantedScene } from "../../api/scenes.ts";
import type { Colour } from "../../controls/colour.ts";
import {
  type Control,
  type Controlled,
  controlsOf,
  isSetting,
  valueIn,
  valuesFor,
} from "../../controls/registry.ts";

/** What a scene wants of a device, by attribute. */
export type Wanted = Readonly<Record<string, unknown>>;

/** A scene as a form holds it. */
export interface SceneDraft {
  /** Null for a scene that is not saved yet. */
  readonly id: string | null;
  readonly name: string;
  readonly wanted: ReadonlyMap<string, Wanted>;
  readonly times: readonly StoredRange[];
}

export const emptyScene: SceneDraft = { id: null, name: "", wanted: new Map(), times: [] };

/** Returns a saved scene as a form shows it. Where presets name an attribute of a device twice, the later counts. */
export function sceneDraftOf({ id, name, presets, sceneTimes }: SceneState): SceneDraft {
  const wanted = new Map<string, Wanted>();
  for (const { targetIds, state } of Object.values(presets)) {
    const { type: _, ...values } = state;
    for (const target of targetIds) wanted.set(target, { ...wanted.get(target), ...values });
  }
  return { id, name, wanted, times: sceneTimes };
}

/** Returns the controls whose values a scene may hold. A lock or a siren is nothing to leave to a scene's times. */
export function settingsOf(device: Controlled): readonly Control[] {
  const found = controlsOf(device).filter(isSetting);
  const hasSlider = (attribute: string): boolean =>
    found.some((control) => control.kind === "slider" && control.attribute === attribute);
  return found.flatMap((control): readonly Control[] => {
    if (control.kind !== "cover") return [control];
    const { attribute } = control;
    return hasSlider(attribute) ? [] : [{ kind: "slider", attribute, min: 0, max: 1, step: 0.05 }];
  });
}

/** Returns a wanted state with a value of a control; without it for undefined. */
export function withValue(wanted: Wanted, control: Control, value: unknown): Wanted {
  const { attribute, part } = control;
  const { [attribute]: former, ...others } = wanted;
  if (value === undefined) {
    const parts = part === undefined ? {} : { ...(former as Wanted | undefined) };
    const rest = Object.fromEntries(Object.entries(parts).filter(([name]) => name !== part));
    return Object.keys(rest).some((name) => name !== "type") ? { ...others, [attribute]: rest } : others;
  }
  const news = valuesFor(control, value);
  if (part === undefined) return { ...others, ...news };
  return { ...others, [attribute]: { ...(former as Wanted | undefined), ...(news[attribute] as Wanted) } };
}

/** Returns a wanted state with a colour in place of any white or colour; without a colour for undefined. */
export function withColour(wanted: Wanted, colour: Colour | undefined): Wanted {
  const others = Object.entries(wanted).filter(([name]) => !ofColour.has(name));
  const rest = colour === undefined ? others : others.filter(([name]) => name !== "temperature");
  return { ...Object.fromEntries(rest), ...(colour && { ...colour, colorMode: "hs" }) };
}

const ofColour: ReadonlySet<string> = new Set(["hue", "saturation", "colorMode"]);

/** Attributes that show a colour or a white, of which a lamp has one at a time. */
const modes: Readonly<Record<string, readonly string[]>> = {
  hs: ["temperature"],
  ct: ["hue", "saturation"],
};

/** Returns the state of a device as a scene may want it: what it can be set to, as far as it is known. */
export function stateNow(device: Controlled): Wanted {
  const { state } = device;
  const { colorMode, saturation } = state;
  const left = modes[String(colorMode)] ?? [];
  let wanted: Wanted = {};
  for (const control of settingsOf(device)) {
    const value = valueIn(state, control);
    if (value === undefined || value === null || left.includes(control.attribute)) continue;
    wanted = withValue(wanted, control, value);
  }
  // A hue alone says nothing of how much of it.
  const isColour = "hue" in wanted && typeof saturation === "number";
  return isColour ? { ...wanted, saturation, colorMode: "hs" } : wanted;
}

/** Returns presets for devices, one for all of a type that want the same. Devices that want nothing are left out. */
export function presetsOf(
  wanted: SceneDraft["wanted"],
  typeOf: (id: string) => string | undefined,
): Readonly<Record<string, WantedPreset>> {
  const found = new Map<string, { targetIds: string[]; state: Wanted }>();
  for (const [id, state] of wanted) {
    const type = typeOf(id);
    if (type === undefined || Object.keys(state).length === 0) continue;
    const inOrder = Object.fromEntries(Object.entries(state).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const same = `${type} ${JSON.stringify(inOrder)}`;
    const preset = found.get(same);
    if (preset === undefined) found.set(same, { targetIds: [id], state: inOrder });
    else preset.targetIds.push(id);
  }
  return Object.fromEntries([...found.values()].map((preset, index) => [`preset-${index + 1}`, preset]));
}

/** Returns the scene that a form stands for. */
export function wantedScene(draft: SceneDraft, typeOf: (id: string) => string | undefined): WantedScene {
  const { id, name, wanted, times } = draft;
  return { id, name: name.trim(), presets: presetsOf(wanted, typeOf), sceneTimes: times };
}

/** Where the hub finds a fault: at the name, at times by their index, at devices, or elsewhere. */
export interface SceneFaults {
  readonly name: string;
  readonly times: ReadonlyMap<number, string>;
  readonly devices: ReadonlyMap<string, string>;
  readonly others: readonly string[];
}

/** Returns the hub's errors about a scene where a form shows them. */
export function sceneFaults(
  errors: readonly { readonly field: string; readonly message: string }[],
  { presets }: WantedScene,
): SceneFaults {
  const [times, devices, others] = [new Map<number, string>(), new Map<string, string>(), [] as string[]];
  let name = "";
  for (const { field, message } of errors) {
    const [part, of = ""] = field.split(".");
    if (part === "name") name = message;
    else if (part === "sceneTimes") times.set(Number(of), message);
    else if (part === "presets" && presets[of] !== undefined)
      for (const id of presets[of].targetIds) devices.set(id, message);
    else others.push(message);
  }
  return { name, times, devices, others };
}
