import type { AttributeValues, Values } from "@ledge/exposes";
import type { At } from "../cluster.ts";
import type { EndpointFacts } from "../facts.ts";
import type { Unit } from "../unit.ts";
import { rounded } from "../values.ts";
import { hasElectrical, named, reading, said } from "./electrical-reading.ts";
import type { Quantity } from "./mains.ts";
import { activePower, ofPhases, phases, powers } from "./mains.ts";

/** A phase of a device: where it is measured, and how the names of its attributes end there. */
interface Phase {
  readonly letter: string;
  readonly end: string;
  readonly endpoint: EndpointFacts;
}

/** Whether a device measures more than one phase: single-phase ones answer with the invalid value, or not at all. */
function hasPhases(endpoint: EndpointFacts): boolean {
  return phases.some(
    ([letter, end]) =>
      letter !== "A" && ofPhases.some((each) => reading(said(endpoint), end, each, endpoint) !== undefined),
  );
}

/** Whether endpoints are as many as the phases of a device at most. More may also be a sum, or single loads. */
export function mayBePhases(endpoints: readonly EndpointFacts[]): boolean {
  const meters = endpoints.filter(hasElectrical);
  return meters.length > 1 && meters.length <= phases.length;
}

/**
 * Returns the endpoints of a device without a definition that each measure one phase, by their numbers; none for any
 * other device.
 */
export function phaseEndpoints(endpoints: readonly EndpointFacts[]): readonly EndpointFacts[] {
  if (!mayBePhases(endpoints)) return [];
  const measuring = endpoints.filter(
    (endpoint) =>
      hasElectrical(endpoint) &&
      !hasPhases(endpoint) &&
      ofPhases.some((each) => reading(said(endpoint), "", each, endpoint) !== undefined),
  );
  return measuring.length > 1 ? measuring.toSorted((one, other) => one.id - other.id) : [];
}

/** Returns the phases of a unit: each on an endpoint of its own, or all on this one; none for a single phase. */
export function phasesOf({ known, endpoints }: Unit, endpoint: EndpointFacts): readonly Phase[] {
  const apart = known ? [] : phaseEndpoints(endpoints);
  if (apart.length > 0)
    return apart.map((each, index) => ({ letter: phases[index]?.[0] ?? "", end: "", endpoint: each }));
  return hasPhases(endpoint) ? phases.map(([letter, end]) => ({ letter, end, endpoint })) : [];
}

/** Returns the readings of the phases of an endpoint, and the sums of the powers. */
export function byPhase(values: Values, { endpoint, before }: At, all: readonly Phase[]): AttributeValues {
  const here = all.filter((phase) => phase.endpoint.id === endpoint.id);
  const shown: Record<string, number> = {};
  for (const quantity of ofPhases)
    for (const { letter, end } of here) {
      const value = reading(values, end, quantity, endpoint);
      if (value !== undefined) shown[`${quantity.attribute}${letter}`] = value;
    }
  const sums = powers.map((quantity): AttributeValues => {
    const { attribute, decimals } = quantity;
    const measured = all.filter((phase) => measures(phase, quantity, before)).map(({ letter }) => letter);
    const sum = sumOver(measured, attribute, { ...before, ...shown }, shown);
    return sum === undefined ? {} : named(attribute, rounded(sum, decimals));
  });
  return Object.assign(shown, ...sums) as AttributeValues;
}

/** Whether a phase is measured, as far as is known. Every endpoint of the cluster measures active power. */
function measures({ letter, end, endpoint }: Phase, quantity: Quantity, before: Values): boolean {
  return (
    typeof before[`${quantity.attribute}${letter}`] === "number" ||
    reading(said(endpoint), end, quantity, endpoint) !== undefined ||
    (quantity === activePower && end === "")
  );
}

/**
 * Returns the sum of an attribute over phases; undefined while one of them is unknown, and without news.
 * @param news the values that have just been read
 */
export function sumOver(
  letters: readonly string[],
  attribute: string,
  known: Values,
  news: Values,
): number | undefined {
  const names = letters.map((letter) => `${attribute}${letter}`);
  const parts = names.map((name) => known[name]).filter((part) => typeof part === "number");
  const isNews = names.some((name) => Object.hasOwn(news, name));
  return isNews && parts.length === names.length ? parts.reduce((all, part) => all + part, 0) : undefined;
}
