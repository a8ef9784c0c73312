import type { AttributeName } from "./capability.ts";

interface TwinPair {
  /** If both have new values, the second one counts. */
  readonly names: readonly [AttributeName, AttributeName];
  /** The value under the second name that corresponds to 1 under the first. */
  readonly scale: number;
  /** Both names are always shown and commanded together. */
  readonly together: boolean;
}

/**
 * Two names for the same thing (wire-facts 1.1): the setpoint, and the position of blinds, 0 to 1 or in
 * percent.
 */
export const twinPairs: readonly TwinPair[] = [
  { names: ["targetTemp", "targetTemperature"], scale: 1, together: true },
  { names: ["position", "liftPct"], scale: 100, together: false },
];

/** The other name of an attribute with two names, and the conversion of values. */
export interface Twin {
  readonly name: AttributeName;
  readonly convert: (value: number) => number;
}

const twins: ReadonlyMap<string, Twin> = new Map(
  twinPairs.flatMap(({ names: [one, other], scale }): [string, Twin][] => [
    [one, { name: other, convert: (value) => value * scale }],
    [other, { name: one, convert: (value) => value / scale }],
  ]),
);

/** Returns the other name of an attribute; undefined for one with a single name and for unknown ones. */
export function twinOf(name: string): Twin | undefined {
  return twins.get(name);
}
