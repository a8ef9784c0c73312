import type { Capability } from "@ledge/model";
import { kept, remembered } from "../values.ts";
import type { Expose } from "./expose.ts";
import { keyOf } from "./expose.ts";
import type { Feature, Meaning } from "./feature.ts";
import { state } from "./feature.ts";
import { lightFeatures } from "./light.ts";
import { fanMode, meaningOf } from "./table.ts";

/** Exposes mapped to the hub. */
export interface Features {
  readonly features: readonly Feature[];
  /** Exposes for which the hub has no attribute. */
  readonly rest: readonly Expose[];
}

/** Maps exposes to features. */
export function featuresOf(exposes: readonly Expose[]): Features {
  const features: Feature[] = [];
  const rest: Expose[] = [];
  for (const expose of exposes) {
    for (const part of partsOf(expose)) {
      const meaning = part.isSaid || part.isSettable ? meaningIn(expose, part) : undefined;
      if (meaning === undefined) rest.push(part);
      else features.push(featureOf(part, expose, meaning));
    }
  }
  return { features, rest };
}

const grouped: ReadonlySet<string> = new Set(["light", "switch", "cover", "lock", "climate", "fan"]);

function partsOf(expose: Expose): readonly Expose[] {
  return grouped.has(expose.type) ? expose.features : [expose];
}

function featureOf(part: Expose, { endpoint }: Expose, { write, ...meaning }: Meaning): Feature {
  const at = part.endpoint ?? endpoint;
  return {
    ...meaning,
    property: part.property,
    key: keyOf({ property: part.property, endpoint: at }),
    endpoint: at,
    ...(write && part.isSettable && { write }),
  };
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
      return part.name === "state" ? state("locked", ["LOCK"], part.on, part.off) : undefined;
    case "climate":
      return part.name === "running_state" ? running : meaningOf(part);
    default:
      return meaningOf(part);
  }
}

function onOff({ on, off }: Expose, capabilities: readonly Capability[]): Meaning {
  return state("isOn", ["ON_OFF", ...capabilities], on, off);
}

/** For a thermostat that does not report its demand. */
const running: Meaning = {
  attributes: ["heatingDemand"],
  capabilities: ["THERMOSTAT"],
  read: (value) => (value === "heat" ? { heatingDemand: 1 } : value === "idle" ? { heatingDemand: 0 } : {}),
};

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
const upOrDown: Meaning = { attributes: [], capabilities: [], read: () => ({}) };

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
