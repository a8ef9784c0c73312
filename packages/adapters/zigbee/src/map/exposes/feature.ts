import type { AttributeName, Capability } from "@ledge/model";
import type { AttributeValues } from "../values.ts";
import type { Memory } from "../values.ts";

/** Maps one property of a device to the hub. */
export interface Feature {
  readonly property: string;
  /** The key that sets it. */
  readonly key: string;
  readonly endpoint: string | null;
  readonly attributes: readonly AttributeName[];
  readonly capabilities: readonly Capability[];
  /** Returns the attributes of a property's value; none for an impossible value. */
  readonly read: (value: unknown, memory: Memory) => AttributeValues;
  /**
   * Returns the property's value for the wanted attributes; undefined when none concerns it. Absent when it
   * is read-only.
   */
  readonly write?: (wanted: AttributeValues, before: AttributeValues) => unknown;
}

/** How to read and write a property, whatever its name. */
export type Meaning = Pick<Feature, "attributes" | "capabilities" | "read" | "write">;

/** A number: `scale` times the property's value. */
export function quantity(
  attribute: AttributeName,
  capabilities: readonly Capability[],
  scale = 1,
  least = -Infinity,
  most = Infinity,
): Meaning {
  return {
    attributes: [attribute],
    capabilities,
    read: (value) =>
      typeof value === "number" && Number.isFinite(value) && value >= least && value <= most
        ? { [attribute]: clean(value * scale) }
        : {},
  };
}

/** A boolean; `whenTrue` is the property's value for true. */
export function state(
  attribute: AttributeName,
  capabilities: readonly Capability[],
  whenTrue: unknown,
  whenFalse: unknown,
): Meaning {
  return {
    attributes: [attribute],
    capabilities,
    read: (value) =>
      value === whenTrue ? { [attribute]: true } : value === whenFalse ? { [attribute]: false } : {},
    write: ({ [attribute]: wanted }) =>
      wanted === true ? whenTrue : wanted === false ? whenFalse : undefined,
  };
}

/** One of the hub's numbered choices, by the property's words. */
export function choice(
  attribute: AttributeName,
  capabilities: readonly Capability[],
  words: Readonly<Record<string, number>>,
  offered: readonly unknown[],
): Meaning {
  return {
    attributes: [attribute],
    capabilities,
    read: (value) =>
      typeof value === "string" && Object.hasOwn(words, value) ? { [attribute]: words[value] } : {},
    write: ({ [attribute]: wanted }) =>
      Object.keys(words).find((word) => words[word] === wanted && offered.includes(word)),
  };
}

/** Rounds off binary fraction digits. */
export function clean(value: number): number {
  return Number(value.toPrecision(12));
}
