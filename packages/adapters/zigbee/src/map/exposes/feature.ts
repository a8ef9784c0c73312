import type { AttributeName, Capability } from "@ledge/model";
import type { AttributeValues } from "../unit.ts";
import type { Memory } from "../values.ts";

/** What one property of a device is to the hub. */
export interface Feature {
  readonly property: string;
  /** Under which it is set. */
  readonly key: string;
  readonly endpoint: string | null;
  readonly attributes: readonly AttributeName[];
  readonly capabilities: readonly Capability[];
  /** What a value of the property says; nothing for one that it cannot have. */
  readonly read: (value: unknown, memory: Memory) => AttributeValues;
  /** The property's value for what is wanted; undefined when nothing of it is. Left out: it cannot be set. */
  readonly write?: (wanted: AttributeValues, before: AttributeValues) => unknown;
}

/** How a property is read and written, apart from what it is called. */
export type Meaning = Pick<Feature, "attributes" | "capabilities" | "read" | "write">;

/** A number, as `scale` times the property's. */
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

/** A boolean, by the property's value that means true. */
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

/** Without the noise of binary fractions. */
export function clean(value: number): number {
  return Number(value.toPrecision(12));
}
