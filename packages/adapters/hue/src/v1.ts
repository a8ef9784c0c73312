// The first interface of the bridge (`/api/<key>/…`), which all generations have.
import { hueSaturationOf, kelvinOf, miredOf } from "@ledge/exposes";
import type { Color, Lamp, Wanted } from "./lamp.ts";
import { entriesIn, numberIn, recordIn, wordIn } from "./reading.ts";
import { appKeyPattern } from "./settings.ts";

const mostBri = 254;
const mostHue = 65_535;
const mostSat = 254;
const appKey = new RegExp(appKeyPattern);

/** Reads `lights`. A light without a state is left out. */
export function lampsIn(lights: unknown): readonly Lamp[] {
  return entriesIn(lights).flatMap(([id, light]) => {
    const state = recordIn(light["state"]);
    if (typeof state["on"] !== "boolean") return [];
    const type = wordIn(light["type"]) ?? "";
    const isPlug = /plug/i.test(type) || recordIn(light["config"])["archetype"] === "plug";
    const ct = recordIn(recordIn(recordIn(light["capabilities"])["control"])["ct"]);
    return [
      {
        id: `lights/${id}`,
        kind: isPlug ? ("plug" as const) : ("lamp" as const),
        name: wordIn(light["name"]) ?? `Light ${id}`,
        manufacturer: wordIn(light["manufacturername"]) ?? "Philips",
        model: wordIn(light["modelid"]),
        scenes: new Map<string, string>(),
        isReachable: state["reachable"] !== false,
        ...shownBy(state, ct),
        isOn: state["on"],
      },
    ];
  });
}

/**
 * Reads `groups`, with the `scenes` of each. Of the group's kinds rooms, zones and plain groups are devices: an entertainment
 * area is of the same lamps again.
 */
export function groupsIn(groups: unknown, scenes: unknown, lamps: readonly Lamp[]): readonly Lamp[] {
  const byGroup = new Map<string, Map<string, string>>();
  for (const [id, scene] of entriesIn(scenes)) {
    const group = wordIn(scene["group"]);
    const name = wordIn(scene["name"]);
    if (group === null || name === null) continue;
    byGroup.set(group, (byGroup.get(group) ?? new Map<string, string>()).set(name, id));
  }
  return entriesIn(groups).flatMap(([id, group]) => {
    const { lights } = group;
    const type = wordIn(group["type"]) ?? "LightGroup";
    if (!Array.isArray(lights) || lights.length === 0 || !/^(?:Room|Zone|LightGroup)$/.test(type)) return [];
    const action = recordIn(group["action"]);
    const anyOn = recordIn(group["state"])["any_on"] ?? action["on"];
    if (typeof anyOn !== "boolean") return [];
    const members = lamps.filter((lamp) => lights.includes(lamp.id.slice("lights/".length)));
    return [
      {
        id: `groups/${id}`,
        kind: "group" as const,
        name: wordIn(group["name"]) ?? `Group ${id}`,
        manufacturer: null,
        model: null,
        scenes: byGroup.get(id) ?? new Map<string, string>(),
        isReachable: members.length === 0 || members.some((lamp) => lamp.isReachable),
        ...shownBy(action, {}),
        isOn: anyOn,
      },
    ];
  });
}

function shownBy(
  state: Readonly<Record<string, unknown>>,
  ct: Readonly<Record<string, unknown>>,
): Pick<Lamp, "dims" | "hasColor" | "white" | "brightness" | "color"> {
  const bri = numberIn(state["bri"], 0, mostBri);
  const mired = numberIn(state["ct"], 1, 1000);
  const isWhite = typeof state["ct"] === "number";
  const [least, most] = [numberIn(ct["max"], 1, 1000) ?? 500, numberIn(ct["min"], 1, 1000) ?? 153];
  const hasColor = typeof state["hue"] === "number" || (Array.isArray(state["xy"]) && !isWhite);
  return {
    dims: bri !== undefined,
    hasColor,
    white: isWhite
      ? { least: Math.round(kelvinOf(least)), most: Math.round(kelvinOf(Math.min(most, least))) }
      : undefined,
    brightness: bri === undefined ? undefined : bri / mostBri,
    color: colorOf(state, mired, hasColor),
  };
}

function colorOf(
  state: Readonly<Record<string, unknown>>,
  mired: number | undefined,
  hasColor: boolean,
): Color | undefined {
  if (mired !== undefined && (state["colormode"] === "ct" || !hasColor))
    return { mode: "ct", kelvin: Math.round(kelvinOf(mired)) };
  if (!hasColor) return undefined;
  const hue = numberIn(state["hue"], 0, mostHue);
  const sat = numberIn(state["sat"], 0, mostSat);
  if (state["colormode"] !== "xy" && hue !== undefined && sat !== undefined)
    return { mode: "hs", hue: (hue / mostHue) * 2 * Math.PI, saturation: sat / mostSat };
  const [x, y] = Array.isArray(state["xy"]) ? (state["xy"] as unknown[]) : [];
  const [wide, high] = [numberIn(x, 0, 1), numberIn(y, 0, 1)];
  const mixed = wide === undefined || high === undefined ? undefined : hueSaturationOf({ x: wide, y: high });
  return mixed && { mode: "hs", ...mixed };
}

/** Returns the body that sets a lamp or a group. */
export function bodyOf({
  isOn,
  brightness,
  kelvin,
  color,
  transitionMsec,
  scene,
}: Wanted): Readonly<Record<string, unknown>> {
  if (scene !== undefined) return { scene };
  return {
    ...(isOn !== undefined && { on: isOn }),
    ...(brightness !== undefined && { bri: Math.max(1, Math.round(brightness * mostBri)) }),
    ...(kelvin !== undefined && { ct: miredOf(kelvin) }),
    ...(color !== undefined && {
      hue: Math.round((color.hue / (2 * Math.PI)) * mostHue),
      sat: Math.round(color.saturation * mostSat),
    }),
    ...(transitionMsec !== undefined && {
      transitiontime: Math.min(65_535, Math.round(transitionMsec / 100)),
    }),
  };
}

/** An error in an answer: 1 unknown key, 3 no such resource, 101 the button was not pressed, 201 the lamp is off. */
export interface BridgeError {
  readonly type: number;
  readonly description: string;
}

/** Returns the first error of an answer, which is a list of errors and successes; undefined for none. */
export function errorIn(answer: unknown): BridgeError | undefined {
  if (!Array.isArray(answer)) return undefined;
  for (const each of answer as unknown[]) {
    const error = recordIn(each)["error"];
    if (error === undefined) continue;
    const { type, description } = recordIn(error);
    return {
      type: typeof type === "number" ? type : 0,
      description: wordIn(description, 200) ?? "an error without a description",
    };
  }
  return undefined;
}

/** Returns the new key in the answer to a request for one. */
export function keyIn(answer: unknown): string | undefined {
  for (const each of Array.isArray(answer) ? (answer as unknown[]) : []) {
    const key = recordIn(recordIn(each)["success"])["username"];
    if (typeof key === "string" && appKey.test(key)) return key;
  }
  return undefined;
}
