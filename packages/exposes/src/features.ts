import type { Capability } from "@ledge/model";
import { attribute } from "@ledge/model";
import { kept, remembered } from "./values.ts";
import type { Expose } from "./expose.ts";
import { keyOf } from "./expose.ts";
import type { Feature, Meaning } from "./feature.ts";
import { silent, state } from "./feature.ts";
import type { Leaf } from "./leaf.ts";
import { leavesOf } from "./leaf.ts";
import { lightFeatures } from "./light.ts";
import { fanMode, meaningOf, runningOf } from "./table.ts";

/** Exposes mapped to the hub. */
export interface Features {
  readonly features: readonly Feature[];
  /** What the hub has no attribute for, or what its attributes cannot hold. */
  readonly rest: readonly Leaf[];
}

/** Maps exposes to features. */
export function featuresOf(exposes: readonly Expose[]): Features {
  const features: Feature[] = [];
  const rest: Leaf[] = [];
  for (const expose of exposes) {
    for (const part of partsOf(expose)) {
      const leaves = leavesOf(part);
      const meanings = part.isSaid || part.isSettable ? meaningsIn(expose, part) : [];
      features.push(...meanings.map((meaning) => featureOf(part, leaves, meaning)));
      if (meanings.length === 0 || meanings.some((each) => each.isPart || isDeaf(part, each)))
        rest.push(...leaves);
    }
  }
  return { features, rest };
}

/** Features of one unit, each with attributes of its own. */
export interface Assigned {
  readonly features: readonly Feature[];
  /** What features are whose attributes another one has. */
  readonly others: readonly Leaf[];
}

/** Gives every attribute to one property of a unit, the first that has it. */
export function assigned(features: readonly Feature[]): Assigned {
  const owners = new Map<string, string>();
  const first: Feature[] = [];
  const others: Leaf[] = [];
  const isFree = ({ attributes, property }: Feature): boolean =>
    attributes.every((name) => (owners.get(name) ?? property) === property);
  for (const fallback of [false, true]) {
    for (const feature of features.filter(({ isFallback = false }) => isFallback === fallback)) {
      if (isFree(feature)) {
        for (const name of feature.attributes) owners.set(name, feature.property);
        first.push(feature);
      } else if (!fallback) others.push(...feature.leaves);
    }
  }
  return { features: first, others };
}

/** Whether a settable property has no attribute by which it can be set. */
function isDeaf({ isSettable }: Expose, { attributes, capabilities, write }: Meaning): boolean {
  if (!isSettable || attributes.length === 0) return false;
  const can = (name: string): boolean =>
    (attribute(name)?.settableBy ?? []).some((each) => capabilities.includes(each));
  return write === undefined || !attributes.some(can);
}

const grouped: ReadonlySet<string> = new Set(["light", "switch", "cover", "lock", "climate", "fan"]);

/** Returns the properties of an expose: those in a light, a switch, a cover and so on, or itself. */
export function partsOf(expose: Expose): readonly Expose[] {
  if (!grouped.has(expose.type)) return [expose];
  return expose.features.map((part) => ({ ...part, endpoint: part.endpoint ?? expose.endpoint }));
}

function featureOf(part: Expose, leaves: readonly Leaf[], meaning: Meaning): Feature {
  const { write, isPart: _, ...rest } = meaning;
  const { property, endpoint, isSettable } = part;
  return { ...rest, property, key: keyOf(part), endpoint, leaves, ...(write && isSettable && { write }) };
}

function meaningsIn(expose: Expose, part: Expose): readonly Meaning[] {
  if (part.name === "running_state") return runningOf(part);
  const meaning = meaningIn(expose, part);
  return meaning === undefined ? [] : [meaning];
}

function meaningIn({ type, features }: Expose, part: Expose): Meaning | undefined {
  switch (type) {
    case "light":
      return part.name === "state" ? onOff(part, ["CONTROL_LIGHT"]) : lightFeatures[part.name]?.(part);
    case "switch":
      // Other parts of a switch, such as a child lock, are settings.
      return keyOf(part) === "state" ? onOff(part, ["CONTROL_POWER"]) : undefined;
    case "fan":
      if (part.name === "mode" || part.name === "fan_mode") return fanMode(part);
      return part.name === "state" || part.name === "fan_state" ? onOff(part, ["CONTROL_POWER"]) : undefined;
    case "cover":
      return coverMeaning(part, features);
    case "lock":
      return part.name === "state" ? state("locked", ["LOCK"], part.on, part.off) : meaningOf(part);
    default:
      return meaningOf(part);
  }
}

function onOff({ on, off }: Expose, capabilities: readonly Capability[]): Meaning {
  return state("isOn", ["ON_OFF", ...capabilities], on, off);
}

const percent = (share: number): number => Math.round(share);
const same = (raw: number): number => raw;

function coverMeaning(part: Expose, siblings: readonly Expose[]): Meaning | undefined {
  if (part.name === "position") return position;
  if (part.name === "tilt") return tilt;
  const isPlaced = siblings.some(({ name }) => name === "position");
  if (part.name !== "state") return undefined;
  const stops = part.values.includes("STOP");
  if (isPlaced) return stops ? stopOnly : upOrDown;
  return stops ? openStopClose : openOrClosed;
}

/** Exposed positions count from closed, as the hub's do. */
const position: Meaning = {
  attributes: ["position", "liftPct"],
  capabilities: ["BLINDS", "LIFT"],
  read: (value, memory) =>
    typeof value === "number" && value >= 0 && value <= 100
      ? {
          position: kept(
            remembered(memory, "position"),
            value,
            (open) => percent(open * 100),
            (raw) => raw / 100,
          ),
          liftPct: kept(remembered(memory, "liftPct"), value, percent, same),
        }
      : {},
  write({ position: share, liftPct }) {
    const open = typeof share === "number" ? share * 100 : liftPct;
    return typeof open === "number" ? percent(open) : undefined;
  },
};

const tilt: Meaning = {
  attributes: ["tiltPct"],
  capabilities: ["BLINDS", "TILT"],
  read: (value, memory) =>
    typeof value === "number" && value >= 0 && value <= 100
      ? { tiltPct: kept(remembered(memory, "tiltPct"), value, percent, same) }
      : {},
  write: ({ tiltPct }) => (typeof tiltPct === "number" ? percent(tiltPct) : undefined),
};

/** Reported in addition to the position. */
const upOrDown = silent;

/** The command that stops a cover, beside a property for its position. */
const stopOnly: Meaning = {
  ...upOrDown,
  attributes: ["stop"],
  capabilities: ["COVER_STOP"],
  write: ({ stop }) => (stop === true ? "STOP" : undefined),
};

/** A cover without intermediate positions. */
const openOrClosed: Meaning = {
  attributes: ["position", "liftPct"],
  capabilities: ["BLINDS"],
  read: (value) =>
    value === "OPEN" ? { position: 1, liftPct: 100 } : value === "CLOSE" ? { position: 0, liftPct: 0 } : {},
  write({ position: share, liftPct }) {
    const open = typeof share === "number" ? share * 100 : liftPct;
    return typeof open === "number" ? (open >= 50 ? "OPEN" : "CLOSE") : undefined;
  },
};

/** A cover without intermediate positions that can be stopped. */
const openStopClose: Meaning = {
  ...openOrClosed,
  attributes: [...openOrClosed.attributes, "stop"],
  capabilities: [...openOrClosed.capabilities, "COVER_STOP"],
  write: (wanted, before) => (wanted["stop"] === true ? "STOP" : openOrClosed.write?.(wanted, before)),
};
