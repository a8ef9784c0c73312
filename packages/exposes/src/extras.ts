import type { ExtraDescription, ExtraValue } from "@ledge/model";
import { extraAttribute, limits } from "@ledge/model";
import type { ConvertAction } from "./convert-action.ts";
import type { AttributeValues, Values } from "./values.ts";
import { codecOf } from "./codec.ts";
import type { Leaf } from "./leaf.ts";
import { nameOf, partOf, wholeOf } from "./leaf.ts";

/** A value of a device for which the hub has neither an attribute nor a setting. */
export interface ExposedExtra extends Omit<Leaf, "expose" | "whole"> {
  readonly attribute: string;
  readonly described: ExtraDescription;
  readonly from: (value: unknown) => ExtraValue | undefined;
  readonly to: (value: ExtraValue) => unknown;
}

/** Returns the extras for leaves; a name is used once. */
export function extrasOf(leaves: readonly Leaf[]): readonly ExposedExtra[] {
  const byName = new Map<string, ExposedExtra>();
  for (const leaf of leaves) {
    const extra = extraOf(leaf);
    const { name } = extra.described;
    if (name.length <= limits.stateExtraNameChars && !byName.has(name)) byName.set(name, extra);
  }
  return [...byName.values()];
}

function extraOf(leaf: Leaf): ExposedExtra {
  const { expose, whole: _, ...at } = leaf;
  const { fieldType, least, most, options, from, to } = codecOf(expose);
  const name = nameOf(leaf);
  const described: ExtraDescription = {
    name,
    fieldType,
    unit: expose.unit,
    writable: at.isSettable,
    ...(!at.isSaid && at.isSettable && { momentary: true as const }),
    ...(at.isSettable && least !== null && { minValue: least }),
    ...(at.isSettable && most !== null && { maxValue: most }),
    ...(options.length > 0 && { options }),
  };
  const read = fieldType === "OPTION" ? (value: unknown) => from(value) ?? wordOf(value) : from;
  return { ...at, attribute: extraAttribute(name), described, from: read, to };
}

/** A word that the definition does not list, as newer firmware may say. */
function wordOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= limits.nameChars ? value : undefined;
}

/** Returns the extras that properties report, by attribute. */
export function extrasIn(extras: readonly ExposedExtra[], properties: Values): AttributeValues {
  const said: Record<string, unknown> = {};
  for (const extra of extras) {
    const { property, attribute, described, from } = extra;
    if (described.momentary || !Object.hasOwn(properties, property)) continue;
    const value = from(partOf(extra, properties[property]));
    if (value !== undefined) said[attribute] = value;
  }
  return said;
}

/**
 * Returns the actions that set the wanted extras: one for each property. What a command does not name of a
 * property with parts stays as it is known.
 */
export function extraActions(
  extras: readonly ExposedExtra[],
  wanted: AttributeValues,
  before: AttributeValues,
): readonly ConvertAction[] {
  const isWanted = ({ attribute }: ExposedExtra): boolean => Object.hasOwn(wanted, attribute);
  const properties = new Set(extras.filter(isWanted).map(({ property }) => property));
  return [...properties].flatMap((property): ConvertAction[] => {
    const parts = extras.filter((each) => each.property === property && each.isSettable);
    const [first] = parts;
    if (first === undefined) return [];
    const given = [...parts.filter((each) => !isWanted(each)), ...parts.filter(isWanted)].flatMap((each) => {
      const value = isWanted(each) ? wanted[each.attribute] : before[each.attribute];
      return value === undefined ? [] : [{ path: each.path, value: each.to(value as ExtraValue) }];
    });
    return [{ kind: "convert", key: first.key, endpointName: first.endpoint, value: wholeOf(given) }];
  });
}
