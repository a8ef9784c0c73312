import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { limits } from "@ledge/model";
import type { Filters } from "./matching.ts";
import { type OrderBy, orders, type Position } from "./order.ts";

/** A place in a list from which to read on. */
export interface ListCursor {
  readonly orderBy: OrderBy;
  readonly descending: boolean;
  /** `listHash` of what the list shows. */
  readonly hash: string;
  readonly from: Position;
}

/** Returns a hash of what a list shows: of which register, with which search and filters. */
export function listHash(register: string, search: string | undefined, filters: Filters): string {
  const sorted = Object.entries(filters)
    .map(([name, value]) => [name, typeof value === "string" ? value : value?.toSorted()])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  const shown = JSON.stringify([register, search ?? null, sorted]);
  return createHash("sha256").update(shown).digest("base64url").slice(0, 22);
}

const macBytes = 16;

/**
 * Returns a cursor as clients see it: base64url of a signature and the place.
 * @param key signs it; at least 32 bytes
 */
export function signCursor(key: Uint8Array, { orderBy, descending, hash, from }: ListCursor): string {
  const body = Buffer.from(JSON.stringify([orderBy, descending, hash, from.value, from.id]));
  return Buffer.concat([macOf(key, body), body]).toString("base64url");
}

/** Returns the place in a cursor; undefined when it was not signed with this key. */
export function readCursor(key: Uint8Array, text: string): ListCursor | undefined {
  if (text.length > limits.listCursorChars || !/^[-_A-Za-z0-9]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64url");
  // Several texts decode to the same bytes; only one of them was signed.
  if (bytes.length <= macBytes || bytes.toString("base64url") !== text) return undefined;
  const body = bytes.subarray(macBytes);
  if (!timingSafeEqual(macOf(key, body), bytes.subarray(0, macBytes))) return undefined;
  const [orderBy, descending, hash, value, id] = JSON.parse(body.toString()) as [
    OrderBy,
    boolean,
    string,
    string,
    string,
  ];
  return orders.includes(orderBy) ? { orderBy, descending, hash, from: { value, id } } : undefined;
}

function macOf(key: Uint8Array, body: Uint8Array): Buffer {
  return createHmac("sha256", key).update("list-cursor\u0000").update(body).digest().subarray(0, macBytes);
}
