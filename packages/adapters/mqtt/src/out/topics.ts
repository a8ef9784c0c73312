import type { HomeAssistantSettings } from "../settings.ts";
import type { ServedHub } from "./home.ts";

export type ObjectKind = "device" | "group" | "scene" | "rule";

/** The parts of objects that have a retained state of their own. */
const partNames = ["light", "climate"] as const;

/** The topics of a hub on a broker. */
export interface Topics {
  /** `online` or `offline`; the broker says `offline` when the hub is lost. */
  readonly status: string;
  /** The retained state of an object, as JSON. */
  state(kind: ObjectKind, id: string): string;
  /** The retained state of a part of an object, in the form that Home Assistant asks for. */
  part(kind: ObjectKind, id: string, part: string): string;
  /** Takes a JSON object of attributes. */
  set(kind: ObjectKind, id: string): string;
  /** Takes one value. */
  setOne(kind: ObjectKind, id: string, attribute: string): string;
  /** Takes what Home Assistant sends to a part of an object. */
  setPart(kind: ObjectKind, id: string, part: string): string;
  /** A command that was refused, and why; not retained. */
  error(kind: ObjectKind, id: string): string;
  /** The retained configuration of an entity. */
  config(component: string, key: string): string;
  /** Everything that the hub listens to. */
  readonly commands: readonly string[];
  /** All configurations of this hub, also those of an earlier run. */
  readonly configs: string;
  /** All retained states of this hub. */
  readonly states: readonly string[];
  /** What the hub's unique ids begin with. */
  readonly prefix: string;
}

/** Where a message to the hub belongs. */
export interface Target {
  readonly kind: ObjectKind;
  readonly id: string;
  /** What is set: everything, one attribute, or a part as Home Assistant sees it. */
  readonly what: { readonly type: "all" } | { readonly type: "one" | "part"; readonly name: string };
}

/** @param hub tells hubs on one broker apart */
export function topicsOf(
  { base, discoveryPrefix }: Pick<HomeAssistantSettings, "base" | "discoveryPrefix">,
  { hubId }: Pick<ServedHub, "hubId">,
): Topics {
  const short = hubId.replaceAll("-", "").slice(0, 12);
  const root = `${base}/${short}`;
  const prefix = `ledge_${short}`;
  const of = (kind: ObjectKind, id: string): string => `${root}/${kind}/${id}`;
  return {
    status: `${root}/status`,
    state: of,
    part: (kind, id, part) => `${of(kind, id)}/${part}`,
    set: (kind, id) => `${of(kind, id)}/set`,
    setOne: (kind, id, attribute) => `${of(kind, id)}/set/${attribute}`,
    setPart: (kind, id, part) => `${of(kind, id)}/${part}/set`,
    error: (kind, id) => `${of(kind, id)}/error`,
    config: (component, key) => `${discoveryPrefix}/${component}/${prefix}/${key}/config`,
    commands: [`${root}/+/+/set`, `${root}/+/+/set/+`, `${root}/+/+/+/set`],
    configs: `${discoveryPrefix}/+/${prefix}/+/config`,
    states: [`${root}/+/+`, ...partNames.map((part) => `${root}/+/+/${part}`)],
    prefix,
  };
}

const kinds: ReadonlySet<string> = new Set(["device", "group", "scene", "rule"] satisfies ObjectKind[]);

/** Returns where a message to a topic of `commands` belongs; undefined for nowhere. */
export function targetOf(topic: string): Target | undefined {
  const levels = topic.split("/");
  const [last = "", before = ""] = levels.toReversed();
  const isOne = before === "set";
  const isPart = !isOne && last === "set" && kinds.has(levels.at(-4) ?? "");
  const [kind = "", id = ""] = isOne || isPart ? levels.slice(-4) : levels.slice(-3);
  if (!kinds.has(kind) || id === "" || (!isOne && last !== "set")) return undefined;
  const place = { kind: kind as ObjectKind, id };
  if (isOne) return { ...place, what: { type: "one", name: last } };
  return { ...place, what: isPart ? { type: "part", name: before } : { type: "all" } };
}
