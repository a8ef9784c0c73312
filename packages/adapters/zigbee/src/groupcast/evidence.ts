import type { AttributeValues } from "../map/index.ts";

/** Attributes that say how to reach a target; devices do not report them. */
const modifiers: ReadonlySet<string> = new Set(["transitionMsec"]);
/** A value that sets nothing: the lamp is in its other colour mode. */
const nothing = -1;

/** How far a reported value may differ from the wanted one and still match: devices round. */
const tolerance = 0.011;
const hueTolerance = 0.07;

/** Returns the wanted attributes that a device should report. */
export function shownOf(wanted: AttributeValues): readonly string[] {
  return Object.keys(wanted).filter((name) => !modifiers.has(name) && wanted[name] !== nothing);
}

/** Returns those that differ from the known values of the device. */
export function newsOf(wanted: AttributeValues, before: AttributeValues): readonly string[] {
  return shownOf(wanted).filter((name) => !isThere(name, before[name], wanted[name]));
}

/** Whether the reported values match the wanted ones, or move towards them. */
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

/**
 * Resolves when a frame to a group is out: when the library says so, or when a member shows what the frame wants.
 * With an `ember` stick the library says so half a second late.
 */
export async function whenOut(
  sent: Promise<void> | undefined,
  shown: readonly Promise<unknown>[],
): Promise<void> {
  // What fails after a member has shown it changes nothing.
  sent?.catch(() => undefined);
  await Promise.race([sent, ...shown]);
}
