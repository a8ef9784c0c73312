import type { AttributeName, Capability } from "@ledge/model";
import type { AttributeValues } from "./values.ts";
import type { Memory } from "./values.ts";
import type { Leaf } from "./leaf.ts";

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
  /** The words that it can be told, for clients to offer. */
  readonly offered?: readonly string[];
  /** It counts only when nothing else of the device has its attributes. */
  readonly isFallback?: true;
  /** What it is without its attributes. */
  readonly leaves: readonly Leaf[];
}

/** How to read and write a property, whatever its name. */
export interface Meaning extends Pick<
  Feature,
  "attributes" | "capabilities" | "read" | "write" | "offered" | "isFallback"
> {
  /** Its attributes cannot hold all that the property can say or take: the rest needs a place besides. */
  readonly isPart?: boolean;
}

/** A property without an attribute that needs no other place: another property or the hub itself covers it. */
export const silent: Meaning = { attributes: [], capabilities: [], read: () => ({}) };

/** A number: `scale` times the property's value, as long as that is a number too. */
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
    read: (value) => {
      if (typeof value !== "number" || value < least || value > most) return {};
      const scaled = clean(value * scale);
      return Number.isFinite(scaled) ? { [attribute]: scaled } : {};
    },
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
  const numbers = offered.map((word) =>
    Object.hasOwn(words, String(word)) ? words[String(word)] : undefined,
  );
  return {
    attributes: [attribute],
    capabilities,
    read: (value) =>
      typeof value === "string" && Object.hasOwn(words, value) ? { [attribute]: words[value] } : {},
    write: ({ [attribute]: wanted }) =>
      Object.keys(words).find((word) => words[word] === wanted && offered.includes(word)),
    isPart: numbers.includes(undefined) || new Set(numbers).size < numbers.length,
  };
}

/** A word, such as the state of a lock. */
export function named(
  attribute: AttributeName,
  capabilities: readonly Capability[],
  offered: readonly (string | number)[],
): Meaning {
  const words = new Set<unknown>(offered.filter((each) => typeof each === "string" && each.length <= 64));
  return {
    attributes: [attribute],
    capabilities,
    read: (value) => (words.has(value) ? { [attribute]: value } : {}),
  };
}

/** Rounds off binary fraction digits. */
export function clean(value: number): number {
  return Number(value.toPrecision(12));
}
