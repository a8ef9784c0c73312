import type { AttributeName } from "./capability.ts";

interface TwinPair {
  /** Where both say something new, the second counts. */
  readonly names: readonly [AttributeName, AttributeName];
  /** What 1 under the first name is under the second. */
  readonly scale: number;
  /** Both names are always served and commanded together. */
  readonly together: boolean;
}

/** Two names for one thing (wire-facts 1.1): the setpoint, and how far a blind is open, 0 to 1 or in percent. */
export const twinPairs: readonly TwinPair[] = [
  { names: ["targetTemp", "targetTemperature"], scale: 1, together: true },
  { names: ["position", "liftPct"], scale: 100, together: false },
];

/** The other name of an attribute that goes by two, and what a value is under that name. */
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

/** The other name of an attribute; undefined for one that has a single name, or that nobody declared. */
export function twinOf(name: string): Twin | undefined {
  return twins.get(name);
}
