import type { Capability } from "@ledge/model";
import { commandClass } from "./command-class.ts";
import type { ValueRow } from "./row.ts";
import { fullLevel } from "./switches.ts";
import type { AttributeValues } from "./value.ts";
import { numberIn, rounded } from "./value.ts";

/** Parameters of Window Covering that turn slats; the other odd ones move the covering (SDS13781, table 85). */
const slats: ReadonlySet<number> = new Set([11, 23]);
/** States of a barrier that stands still (SDS13781, Barrier Operator). */
export const barrierState = { closed: 0x00, open: 0xff } as const;
const fullBarrier = 100;

/** Returns whether a parameter moves a covering to a position, turns its slats, or neither. */
export function coveringOf(parameter: unknown): "lift" | "tilt" | undefined {
  const id = numberIn(parameter, 1, 23);
  if (id === undefined || id % 2 === 0) return undefined;
  return slats.has(id) ? "tilt" : "lift";
}

const covering: ValueRow = {
  commandClass: commandClass.windowCovering,
  property: "currentValue",
  capabilities({ propertyKey }): readonly Capability[] {
    const kind = coveringOf(propertyKey);
    if (kind === undefined) return [];
    return kind === "lift" ? ["BLINDS", "LIFT", "COVER_STOP"] : ["TILT"];
  },
  attributes({ value, propertyKey }) {
    const level = numberIn(value, 0, fullLevel);
    const kind = coveringOf(propertyKey);
    if (level === undefined || kind === undefined) return {};
    return kind === "lift"
      ? positionOf(level / fullLevel)
      : { tiltPct: Math.round((level / fullLevel) * 100) };
  },
};

const barriers: readonly ValueRow[] = [
  {
    commandClass: commandClass.barrier,
    property: "currentState",
    capabilities: () => ["BLINDS", "LIFT"],
    attributes({ value }) {
      if (value === barrierState.closed) return positionOf(0);
      return value === barrierState.open ? positionOf(1) : {};
    },
  },
  {
    commandClass: commandClass.barrier,
    property: "position",
    capabilities: () => [],
    attributes({ value }) {
      const share = numberIn(value, 0, fullBarrier);
      return share === undefined ? {} : positionOf(share / fullBarrier);
    },
  },
];

function positionOf(share: number): AttributeValues {
  return { position: rounded(share, 4), liftPct: Math.round(share * 100) };
}

export const covers: readonly ValueRow[] = [covering, ...barriers];
