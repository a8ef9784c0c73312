import { limits } from "@ledge/model";
import { type Facets, facet } from "./facets.ts";

/** What a list of devices can be ordered by (platform-api 4.4). */
export const orders = ["id", "name", "nativeId", "serialnumber", "type", "createdBy", "modifiedBy"] as const;
export type OrderBy = (typeof orders)[number];

/** A place in an order: the value that it is ordered by, and the id for equal values. */
export interface Position {
  readonly value: string;
  readonly id: string;
}

/** Returns the place of a device in an order. Names and words are compared without case. */
export function positionOf(id: string, facets: Facets, orderBy: OrderBy): Position {
  if (orderBy === "id") return { value: id, id };
  const field = orderBy === "serialnumber" ? "serialNumber" : orderBy;
  return { value: orderedText(facet(facets, field)), id };
}

/** Returns the part of a text by which it is ordered. */
export function orderedText(text: string): string {
  return text.length > limits.orderChars ? text.slice(0, limits.orderChars).toWellFormed() : text;
}

export function comparePositions(a: Position, b: Position): number {
  return compareText(a.value, b.value) || compareText(a.id, b.id);
}

/** Compares texts by code points, which is also the order of their bytes in UTF-8. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const one = a.charCodeAt(at);
    const other = b.charCodeAt(at);
    if (one !== other) return rank(one) - rank(other);
  }
  return a.length - b.length;
}

/** Ranks a code unit by the code point that it begins: surrogates come after all other units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
