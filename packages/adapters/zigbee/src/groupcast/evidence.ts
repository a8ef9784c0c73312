import type { AttributeValues } from "../map/index.ts";

/** Says how something is to be done, and is never shown. */
const modifiers: ReadonlySet<string> = new Set(["transitionMsec"]);
/** A value that sets nothing: a lamp is in its other colour mode. */
const nothing = -1;

/** How near a shown value is to a wanted one when they are the same: devices round. */
const tolerance = 0.011;
const hueTolerance = 0.07;

/** The wanted attributes that a device is to show. */
export function shownOf(wanted: AttributeValues): readonly string[] {
  return Object.keys(wanted).filter((name) => !modifiers.has(name) && wanted[name] !== nothing);
}

/** Those that it does not show yet, as far as is known. */
export function newsOf(wanted: AttributeValues, before: AttributeValues): readonly string[] {
  return shownOf(wanted).filter((name) => !isThere(name, before[name], wanted[name]));
}

/** Whether what a device has said since shows each of these as wanted, or on the way to it. */
export function shows(
  names: readonly string[],
  said: AttributeValues,
  wanted: AttributeValues,
  before: AttributeValues,
): boolean {
  return names.every(
    (name) =>
      isThere(name, said[name], wanted[name]) || isNearer(name, said[name], wanted[name], before[name]),
  );
}

function isThere(name: string, value: unknown, wanted: unknown): boolean {
  if (typeof value !== "number" || typeof wanted !== "number")
    return JSON.stringify(value) === JSON.stringify(wanted);
  const most = name === "hue" ? hueTolerance : tolerance * Math.max(1, Math.abs(wanted));
  return distance(name, value, wanted) <= most;
}

function isNearer(name: string, value: unknown, wanted: unknown, before: unknown): boolean {
  if (typeof value !== "number" || typeof wanted !== "number" || typeof before !== "number") return false;
  return distance(name, value, wanted) < distance(name, before, wanted);
}

function distance(name: string, a: number, b: number): number {
  const straight = Math.abs(a - b);
  return name === "hue" ? Math.min(straight, Math.abs(2 * Math.PI - straight)) : straight;
}
