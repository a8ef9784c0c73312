import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { limits } from "@ledge/model";
import type { Position } from "./order.ts";

/** A place in a list from which to read on. */
export interface ListCursor {
  /** `listHash` of what the list shows. */
  readonly list: string;
  readonly from: Position;
}

/**
 * Returns a hash of what a list shows, in which order: a cursor of another list says nothing.
 * @param shown JSON
 */
export function listHash(...shown: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(shown)).digest("base64url").slice(0, 22);
}

const macBytes = 16;

/**
 * Returns a cursor as clients see it: base64url of a signature and the place.
 * @param key signs it; at least 32 bytes
 */
export function signCursor(key: Uint8Array, { list, from }: ListCursor): string {
  const body = Buffer.from(JSON.stringify([list, from.value, from.id]));
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
  const [list, value, id] = JSON.parse(body.toString()) as [string, string, string];
  return { list, from: { value, id } };
}

function macOf(key: Uint8Array, body: Uint8Array): Buffer {
  return createHmac("sha256", key).update("list-cursor\u0000").update(body).digest().subarray(0, macBytes);
}
