import type { At, ClusterMap, OptionalAttribute } from "../cluster.ts";
import type { EndpointFacts } from "../facts.ts";
import type { AttributeValues, Values } from "../values.ts";
import { integer, rounded, valuesOf } from "../values.ts";
import type { Quantity } from "./mains.ts";
import { activePower, frequency, ofPhases, phases, powers, scaleNames, totals } from "./mains.ts";
import { factorOf, steps } from "./scale.ts";

const cluster = "haElectricalMeasurement";
const id = 0x0b04;

const said = ({ values }: EndpointFacts): Values => valuesOf(values, cluster);

function factor(endpoint: EndpointFacts, { scale, unit }: Quantity): number {
  const most = scale === "power" ? 0xff_ffff : 0xfffe;
  if (scale === undefined) return unit;
  return unit * factorOf(said(endpoint), `${scale}Multiplier`, `${scale}Divisor`, most);
}

/** Returns a reading in the hub's unit; undefined when the device cannot measure it. */
function reading(
  values: Values,
  end: string,
  quantity: Quantity,
  endpoint: EndpointFacts,
): number | undefined {
  const raw = integer(values, `${quantity.raw}${end}`, ...quantity.range);
  return raw === undefined ? undefined : rounded(raw * factor(endpoint, quantity), quantity.decimals);
}

/** Whether a device measures more than one phase: single-phase ones answer with the invalid value, or not at all. */
function hasPhases(endpoint: EndpointFacts): boolean {
  return phases.some(
    ([letter, end]) =>
      letter !== "A" && ofPhases.some((each) => reading(said(endpoint), end, each, endpoint) !== undefined),
  );
}

/**
 * Whether the totals of a device count. Without a scale of their own nobody knows their unit; makers disagree.
 */
function hasTotals(endpoint: EndpointFacts): boolean {
  const { powerMultiplier, powerDivisor } = said(endpoint);
  return powerMultiplier !== undefined || powerDivisor !== undefined;
}

export const hasElectrical = ({ input }: EndpointFacts): boolean => input.includes(id);

export function watts(value: number): AttributeValues {
  const shown = rounded(value, 2);
  return { activePower: shown, power: shown };
}

/** Readings of the mains: of all, and of each phase (ZCL 4.9). */
export const electrical: ClusterMap = {
  cluster,
  id,
  capabilities: () => ["MEASURE_POWER", "ACTIVE_POWER"],
  facts: ["acPowerMultiplier", "acPowerDivisor"],
  optional: (endpoint) => [
    ...scaleNames.map((attribute) => ({ attribute })),
    ...phases.flatMap(([letter, end]) =>
      ofPhases
        .filter(({ attribute }) => letter !== "A" || attribute !== "power")
        .map((each) => optional(endpoint, each, end)),
    ),
    optional(endpoint, frequency, ""),
    ...totals.map(({ total }) => optional(endpoint, total, "")),
  ],
  state: () => ["activePower"],
  reporting(endpoint) {
    const { attribute, reporting } = optional(endpoint, activePower, "");
    return reporting ? [{ attribute, ...reporting }] : [];
  },
  attributesOf(values, at) {
    const { endpoint } = at;
    const hertz = reading(values, "", frequency, endpoint);
    return {
      ...totalsIn(values, endpoint),
      ...(hasPhases(endpoint) ? byPhase(values, at) : onePhase(values, endpoint)),
      ...(hertz !== undefined && { frequency: hertz }),
    };
  },
};

function optional(endpoint: EndpointFacts, quantity: Quantity, end: string): OptionalAttribute {
  const { capability, raw, change, minSeconds, maxSeconds } = quantity;
  const attribute = `${raw}${end}`;
  // Every device of the cluster has power.
  const shows = quantity.scale === "power" && quantity.attribute === "power" ? {} : { capability };
  if (change === undefined) return { attribute, ...shows };
  const least = steps(change, factor(endpoint, quantity));
  return { attribute, ...shows, reporting: { minSeconds, maxSeconds, change: least } };
}

const named = (attribute: string, value: number): AttributeValues =>
  attribute === "power" ? watts(value) : { [attribute]: value };

function onePhase(values: Values, endpoint: EndpointFacts): AttributeValues {
  const shown = ofPhases.map((each): AttributeValues => {
    const value = reading(values, "", each, endpoint);
    return value === undefined ? {} : named(each.attribute, value);
  });
  return Object.assign({}, ...shown) as AttributeValues;
}

function byPhase(values: Values, { endpoint, before }: At): AttributeValues {
  const shown: Record<string, number> = {};
  for (const quantity of ofPhases)
    for (const [letter, end] of phases) {
      const value = reading(values, end, quantity, endpoint);
      if (value !== undefined) shown[`${quantity.attribute}${letter}`] = value;
    }
  const sums = powers.map((quantity) => sumOf(quantity, { ...before, ...shown }, shown, endpoint));
  return Object.assign(shown, ...sums) as AttributeValues;
}

/** Returns the sum of a power over the phases that a device measures, once all of them are known. */
function sumOf(quantity: Quantity, known: Values, news: Values, endpoint: EndpointFacts): AttributeValues {
  const { attribute, decimals } = quantity;
  const measured = phases.filter(
    ([letter, end]) =>
      typeof known[`${attribute}${letter}`] === "number" ||
      reading(said(endpoint), end, quantity, endpoint) !== undefined,
  );
  const names = measured.map(([letter]) => `${attribute}${letter}`);
  const parts = names.map((name) => known[name]).filter((part) => typeof part === "number");
  const isNews = names.some((name) => Object.hasOwn(news, name));
  if (!isNews || parts.length < names.length) return {};
  return named(
    attribute,
    rounded(
      parts.reduce((all, part) => all + part, 0),
      decimals,
    ),
  );
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
