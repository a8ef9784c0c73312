import type { AttributeValues, Values } from "@ledge/exposes";
import type { ClusterMap, OptionalAttribute } from "../cluster.ts";
import type { EndpointFacts } from "../facts.ts";
import { integer } from "../values.ts";
import { cluster, factor, hasElectrical, id, named, reading, readings, said } from "./electrical-reading.ts";
import type { Quantity } from "./mains.ts";
import {
  activePower,
  directScaleNames,
  frequency,
  ofDirect,
  ofPhases,
  phases,
  scaleNames,
  totals,
} from "./mains.ts";
import { byPhase, mayBePhases, phaseEndpoints, phasesOf } from "./phases.ts";
import { steps } from "./scale.ts";

/** Bits of `measurementType` (ZCL 4.9.2.2.1): any that means alternating current, and direct current. */
const measures = { alternating: 0x3f, direct: 0x40 } as const;

/** Whether an endpoint says that it measures direct current, and no other. */
function isDirect(endpoint: EndpointFacts): boolean {
  const type = integer(said(endpoint), "measurementType", 0, 0xffff_ffff) ?? 0;
  return (type & measures.direct) !== 0 && (type & measures.alternating) === 0;
}

/**
 * Whether the totals of a device count. Without a scale of their own nobody knows their unit; makers disagree.
 */
function hasTotals(endpoint: EndpointFacts): boolean {
  const { powerMultiplier, powerDivisor } = said(endpoint);
  return powerMultiplier !== undefined || powerDivisor !== undefined;
}

/** Readings of the mains: of all, and of each phase; or of direct current (ZCL 4.9). */
export const electrical: ClusterMap = {
  cluster,
  id,
  capabilities: () => ["MEASURE_POWER", "ACTIVE_POWER"],
  ofSeveral(endpoints) {
    if (!mayBePhases(endpoints)) return undefined;
    return phaseEndpoints(endpoints).length > 0 ? ["PHASES"] : [];
  },
  facts: ["acPowerMultiplier", "acPowerDivisor"],
  optional: (endpoint) => [
    { attribute: "measurementType" },
    ...(isDirect(endpoint) ? directOptions(endpoint) : mainsOptions(endpoint)),
  ],
  state: (endpoint) => (isDirect(endpoint) ? [] : [activePower.raw]),
  reporting(endpoint) {
    const { attribute, reporting } = optional(endpoint, activePower, "");
    return reporting && !isDirect(endpoint) ? [{ attribute, ...reporting }] : [];
  },
  attributesOf(values, at) {
    const { endpoint, unit } = at;
    const all = phasesOf(unit, endpoint);
    const isFirst = unit.endpoints.find(hasElectrical)?.id === endpoint.id;
    if (all.length === 0 && !isFirst) return {};
    if (isDirect(endpoint)) return readings(values, ofDirect, endpoint);
    const hertz = reading(values, "", frequency, endpoint);
    return {
      ...totalsIn(values, endpoint),
      ...(all.length > 0 ? byPhase(values, at, all) : readings(values, ofPhases, endpoint)),
      ...(hertz !== undefined && { frequency: hertz }),
    };
  },
};

function mainsOptions(endpoint: EndpointFacts): readonly OptionalAttribute[] {
  return [
    ...scaleNames.map((attribute) => ({ attribute })),
    ...phases.flatMap(([letter, end]) =>
      ofPhases
        .filter(({ attribute }) => letter !== "A" || attribute !== "power")
        .map((each) => optional(endpoint, each, end)),
    ),
    optional(endpoint, frequency, ""),
    ...totals.map(({ total }) => optional(endpoint, total, "")),
  ];
}

function directOptions(endpoint: EndpointFacts): readonly OptionalAttribute[] {
  return [
    ...directScaleNames.map((attribute) => ({ attribute })),
    ...ofDirect.map((each) => optional(endpoint, each, "")),
  ];
}

function optional(endpoint: EndpointFacts, quantity: Quantity, end: string): OptionalAttribute {
  const { capability, raw, change, minSeconds, maxSeconds } = quantity;
  const attribute = `${raw}${end}`;
  // Every device of the cluster has power.
  const shows = quantity.scale === "power" && quantity.attribute === "power" ? {} : { capability };
  if (change === undefined) return { attribute, ...shows };
  const least = steps(change, factor(endpoint, quantity));
  return { attribute, ...shows, reporting: { minSeconds, maxSeconds, change: least } };
}

function totalsIn(values: Values, endpoint: EndpointFacts): AttributeValues {
  if (!hasTotals(endpoint)) return {};
  const shown = totals.map(({ own, total }): AttributeValues => {
    const value = reading(values, "", total, endpoint);
    const isKnown = reading(said(endpoint), "", own, endpoint) !== undefined;
    return value === undefined || isKnown ? {} : named(total.attribute, value);
  });
  return Object.assign({}, ...shown) as AttributeValues;
}
