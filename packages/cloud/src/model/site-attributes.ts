import { limits } from "@ledge/model";
import Type from "typebox";
import { jsonBytes } from "./json-size.ts";

/** What an attribute of a site or an entity holds (platform-api 2.4). */
export const attributeTypes = ["String", "Long", "Int", "Double", "Boolean", "Json"] as const;
export type AttributeType = (typeof attributeTypes)[number];

/** An attribute. A `Long` beyond 2^53 is a decimal text. */
export const Attribute = Type.Object({
  $type: Type.Enum([...attributeTypes]),
  name: Type.String({ minLength: 1, maxLength: limits.siteAttributeNameChars }),
  value: Type.Unknown(),
});
export type Attribute = Type.Static<typeof Attribute>;

/** A change of an attribute: a value, or null to remove it. */
export const AttributeChange = Type.Object({
  ...Attribute.properties,
  $type: Type.Optional(Attribute.properties.$type),
});
export type AttributeChange = Type.Static<typeof AttributeChange>;

/** A problem of a field, for its users. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/**
 * Returns attributes after changes, by name; or what is wrong with the first change that cannot be made.
 * @param held the attributes before
 */
export function changedAttributes(
  held: readonly Attribute[],
  changes: readonly AttributeChange[],
): readonly Attribute[] | FieldProblem {
  const byName = new Map(held.map((one) => [one.name, one]));
  const seen = new Set<string>();
  for (const [index, { $type, name, value }] of changes.entries()) {
    const wrong = (field: string, message: string): FieldProblem => {
      return { field: `attributes.${index}.${field}`, message };
    };
    if (seen.has(name)) return wrong("name", "is there twice");
    seen.add(name);
    if (value === null) {
      byName.delete(name);
      continue;
    }
    if ($type === undefined) return wrong("$type", "is missing");
    const checked = valueOf($type, value);
    if (checked === undefined)
      return wrong("value", `is no ${$type}, or is longer than ${limits.siteAttributeBytes} bytes`);
    byName.set(name, { $type, name, value: checked });
  }
  if (byName.size > limits.siteAttributes)
    return { field: "attributes", message: `has at most ${limits.siteAttributes} attributes` };
  return [...byName.values()];
}

/** Returns a value of a type in its one form; undefined when it is none. */
function valueOf(type: AttributeType, value: unknown): unknown {
  switch (type) {
    case "String":
      return typeof value === "string" && isShort(value) ? value : undefined;
    case "Long":
      return longOf(value);
    case "Int":
      return Number.isInteger(value) && Math.abs(value as number) <= 2 ** 31 && value !== 2 ** 31
        ? value
        : undefined;
    case "Double":
      return typeof value === "number" && Number.isFinite(value) ? value : undefined;
    case "Boolean":
      return typeof value === "boolean" ? value : undefined;
    case "Json":
      return value !== undefined && isShort(value) ? value : undefined;
  }
}

/** Returns a 64-bit integer: as a number up to 2^53, else as a decimal text. */
function longOf(value: unknown): number | string | undefined {
  if (Number.isSafeInteger(value)) return value as number;
  if (typeof value !== "string" || !/^-?\d{1,19}$/.test(value)) return undefined;
  const long = BigInt(value);
  if (BigInt.asIntN(64, long) !== long) return undefined;
  const number = Number(long);
  return Number.isSafeInteger(number) ? number : String(long);
}

function isShort(value: unknown): boolean {
  return jsonBytes(value) <= limits.siteAttributeBytes;
}
