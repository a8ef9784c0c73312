// The second interface of the bridge (`/clip/v2`), with an event stream.
import { chromaticityOf, hueSaturationOf, isRecord, kelvinOf, miredOf } from "@ledge/exposes";
import type { Color, Lamp, Wanted } from "./lamp.ts";
import { listIn, numberIn, recordIn, wordIn } from "./reading.ts";

type Resource = Readonly<Record<string, unknown>>;

/** What each resource of a bridge last said, by its id. */
export type Resources = ReadonlyMap<string, Resource>;

/** A light, or the light of a group, and the resource that takes its commands. */
export interface Found {
  readonly lamp: Lamp;
  /** Such as `light/<rid>`. */
  readonly path: string;
}

/** Reads the list of all resources. */
export function resourcesIn(answer: unknown): Resources {
  const found = new Map<string, Resource>();
  for (const each of listIn(recordIn(answer)["data"])) {
    const id = wordIn(each["id"]);
    if (id !== null) found.set(id, each);
  }
  return found;
}

/**
 * Applies the events of one message of the stream.
 * @returns undefined if resources came or went, so that all have to be read again
 */
export function applyEvents(resources: Resources, events: unknown): Resources | undefined {
  const next = new Map(resources);
  for (const event of listIn(events)) {
    if (event["type"] === "add" || event["type"] === "delete") return undefined;
    if (event["type"] !== "update") continue;
    for (const news of listIn(event["data"])) {
      const id = wordIn(news["id"]);
      const before = id === null ? undefined : next.get(id);
      if (id !== null && before !== undefined) next.set(id, merged(before, news, 8));
    }
  }
  return next;
}

function merged(before: Resource, news: Resource, depth: number): Resource {
  const result: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(news)) {
    if (key === "__proto__") continue;
    const old = result[key];
    result[key] = depth > 0 && isRecord(old) && isRecord(value) ? merged(old, value, depth - 1) : value;
  }
  return result;
}

/** Returns the lamps, plugs, rooms and zones of a bridge. */
export function foundIn(resources: Resources): readonly Found[] {
  const all = [...resources.values()];
  const of = (type: string): readonly Resource[] => all.filter((each) => each["type"] === type);
  const connected = new Map(
    of("zigbee_connectivity").map((each) => [recordIn(each["owner"])["rid"], each["status"] === "connected"]),
  );
  const lights = of("light").flatMap((light): (Found & { rid: string; owner: unknown })[] => {
    const rid = wordIn(light["id"]);
    const on = recordIn(light["on"])["on"];
    if (rid === null || typeof on !== "boolean") return [];
    const owner = recordIn(light["owner"])["rid"];
    const device = recordIn(resources.get(String(owner)));
    const product = recordIn(device["product_data"]);
    const archetype = recordIn(light["metadata"])["archetype"] ?? product["product_archetype"];
    const lamp: Lamp = {
      id: idOf(light, `light/${rid}`),
      kind: archetype === "plug" ? "plug" : "lamp",
      name:
        wordIn(recordIn(device["metadata"])["name"]) ??
        wordIn(recordIn(light["metadata"])["name"]) ??
        "Light",
      manufacturer: wordIn(product["manufacturer_name"]),
      model: wordIn(product["model_id"]),
      scenes: new Map(),
      isReachable: connected.get(owner) ?? true,
      isOn: on,
      ...shownBy(light),
    };
    return [{ lamp, path: `light/${rid}`, rid, owner }];
  });
  const groups = [...of("room"), ...of("zone")].flatMap((group): Found[] => {
    const rid = listIn(group["services"]).find((each) => each["rtype"] === "grouped_light")?.["rid"];
    const grouped = resources.get(String(rid));
    const on = recordIn(grouped?.["on"])["on"];
    if (grouped === undefined || typeof on !== "boolean") return [];
    const children = new Set(listIn(group["children"]).map((each) => each["rid"]));
    const members = lights.filter((each) => children.has(each.rid) || children.has(each.owner));
    if (members.length === 0) return [];
    const scenes = of("scene").flatMap((scene): [string, string][] => {
      const name = wordIn(recordIn(scene["metadata"])["name"]);
      const isOwn = recordIn(scene["group"])["rid"] === group["id"];
      return isOwn && name !== null ? [[name, String(scene["id"])]] : [];
    });
    const lamps = members.map(({ lamp }) => lamp);
    const lamp: Lamp = {
      id: idOf(group, `group/${String(group["id"])}`),
      kind: "group",
      name: wordIn(recordIn(group["metadata"])["name"]) ?? "Group",
      manufacturer: null,
      model: null,
      scenes: new Map(scenes),
      isReachable: lamps.some(({ isReachable }) => isReachable),
      isOn: on,
      ...shownBy(grouped),
      // The bridge says no colours of a group; it takes what some of its lamps take.
      dims: lamps.some(({ dims }) => dims),
      hasColor: lamps.some(({ hasColor }) => hasColor),
      white: lamps.find(({ white }) => white !== undefined)?.white,
    };
    return [{ lamp, path: `grouped_light/${String(rid)}` }];
  });
  return [...lights.map(({ lamp, path }) => ({ lamp, path })), ...groups];
}

/** The id of the first interface, without its slash in front. */
function idOf({ id_v1: first }: Resource, otherwise: string): string {
  return typeof first === "string" && /^\/(?:lights|groups)\/\d+$/.test(first) ? first.slice(1) : otherwise;
}

function shownBy(light: Resource): Pick<Lamp, "dims" | "hasColor" | "white" | "brightness" | "color"> {
  const percent = numberIn(recordIn(light["dimming"])["brightness"], 0, 100);
  const temperature = light["color_temperature"];
  const hasColor = isRecord(light["color"]);
  const schema = recordIn(recordIn(temperature)["mirek_schema"]);
  const coldest = numberIn(schema["mirek_minimum"], 1, 1000) ?? 153;
  const warmest = numberIn(schema["mirek_maximum"], coldest, 1000) ?? Math.max(500, coldest);
  return {
    dims: isRecord(light["dimming"]),
    hasColor,
    white: isRecord(temperature)
      ? { least: Math.round(kelvinOf(warmest)), most: Math.round(kelvinOf(coldest)) }
      : undefined,
    brightness: percent === undefined ? undefined : percent / 100,
    color: colorOf(light),
  };
}

function colorOf(light: Resource): Color | undefined {
  const mirek = numberIn(recordIn(light["color_temperature"])["mirek"], 1, 1000);
  if (mirek !== undefined) return { mode: "ct", kelvin: Math.round(kelvinOf(mirek)) };
  const { x, y } = recordIn(recordIn(light["color"])["xy"]);
  const [wide, high] = [numberIn(x, 0, 1), numberIn(y, 0, 1)];
  const mixed = wide === undefined || high === undefined ? undefined : hueSaturationOf({ x: wide, y: high });
  return mixed && { mode: "hs", ...mixed };
}

/** Returns the body that sets a light or the light of a group. */
export function bodyOf({ isOn, brightness, kelvin, color, transitionMsec }: Wanted): Resource {
  return {
    ...(isOn !== undefined && { on: { on: isOn } }),
    ...(brightness !== undefined && { dimming: { brightness: brightness * 100 } }),
    ...(kelvin !== undefined && { color_temperature: { mirek: miredOf(kelvin) } }),
    ...(color !== undefined && { color: { xy: chromaticityOf(color) } }),
    ...(transitionMsec !== undefined && { dynamics: { duration: transitionMsec } }),
  };
}

/** Returns the first error of an answer; undefined for none. */
export function errorIn(answer: unknown): string | undefined {
  const [first] = listIn(recordIn(answer)["errors"]);
  return first && (wordIn(first["description"], 200) ?? "an error without a description");
}
