import type { LibraryResult, LibraryValue } from "node-bacnet";

/** An object of a device: its type and instance. */
export interface ObjectId {
  readonly type: number;
  readonly instance: number;
}

/** A value as BACnet encodes it. */
export type Value =
  | { readonly tag: "null" }
  | { readonly tag: "boolean"; readonly value: boolean }
  | {
      readonly tag: "unsigned" | "signed" | "real" | "double" | "enumerated";
      readonly value: number;
    }
  | { readonly tag: "text"; readonly value: string }
  | { readonly tag: "bits"; readonly value: readonly boolean[] }
  | { readonly tag: "object"; readonly value: ObjectId }
  /** A kind of value that nothing here reads. */
  | { readonly tag: "other" };

/** Application tags by number (ASHRAE 135, 20.2.1.4). */
const numbers = { 2: "unsigned", 3: "signed", 4: "real", 5: "double", 9: "enumerated" } as const;

/** Returns a value of the library; a kind that nothing here reads is `other`. */
export function fromLibrary({ type, value }: LibraryValue): Value {
  if (type === 0) return { tag: "null" };
  if (type === 1) return { tag: "boolean", value: value === true };
  if (type === 7) return { tag: "text", value: String(value) };
  if (type === 8) return { tag: "bits", value: bitsOf(value as { value: number[]; bitsUsed: number }) };
  if (type === 12) return { tag: "object", value: value as ObjectId };
  const tag = (numbers as Readonly<Record<number, keyof typeof tags>>)[type];
  return tag === undefined || typeof value !== "number" ? { tag: "other" } : { tag, value };
}

function bitsOf({ value, bitsUsed }: { value: number[]; bitsUsed: number }): readonly boolean[] {
  return Array.from({ length: Math.max(0, bitsUsed) }, (_, bit) => {
    const octet = value[bit >> 3] ?? 0;
    return (octet & (1 << (bit & 7))) !== 0;
  });
}

const tags = { unsigned: 2, signed: 3, real: 4, double: 5, enumerated: 9 } as const;

/** Returns a value to write for the library. */
export function toLibrary(value: Value): LibraryValue {
  switch (value.tag) {
    case "null":
    case "other":
      return { type: 0, value: null };
    case "boolean":
      return { type: 1, value: value.value };
    case "text":
      return { type: 7, value: value.value };
    case "bits":
      throw new RangeError("a string of bits cannot be written");
    case "object":
      return { type: 12, value: { ...value.value } };
    case "unsigned":
    case "signed":
    case "real":
    case "double":
    case "enumerated":
      return { type: tags[value.tag], value: value.value };
  }
}

/** Returns the text of the first value; undefined when it is none. */
export function textOf(values: readonly Value[] | undefined): string | undefined {
  const [first] = values ?? [];
  return first?.tag === "text" ? first.value : undefined;
}

/** Returns the number of the first value; undefined when it is none. */
export function numberOf(values: readonly Value[] | undefined): number | undefined {
  const [first] = values ?? [];
  return first !== undefined && "value" in first && typeof first.value === "number" ? first.value : undefined;
}

/** Returns the properties that a device has read; those that it refuses are missing. */
export function valuesIn(results: readonly LibraryResult[]): ReadonlyMap<number, readonly Value[]> {
  const good = results.filter(({ value }) => value.every(({ type }) => type !== 105));
  return new Map(good.map(({ id, value }) => [id, value.map(fromLibrary)]));
}
