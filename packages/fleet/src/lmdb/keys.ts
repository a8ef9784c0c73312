import type { RowKey, RowKind } from "../row.ts";

/*
 * Keys are texts in UTF-8, with a NUL between them. No text holds one, so keys are ordered by their first text,
 * then by the next.
 */
const separator = "\u0000";
/** Follows every key that begins with the texts before it. */
const beyond = "\u0001";

/** A part of a table: the keys that begin with the same texts. */
export interface Bounds {
  readonly start: Buffer;
  readonly end: Buffer;
}

export function keyOf(...texts: readonly string[]): Buffer {
  return Buffer.from(texts.join(separator));
}

export function boundsOf(...texts: readonly string[]): Bounds {
  const prefix = texts.join(separator);
  return { start: Buffer.from(prefix + separator), end: Buffer.from(prefix + beyond) };
}

export function textsOf(key: Uint8Array): string[] {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString().split(separator);
}

export function rowKey({ register, kind, id }: RowKey): Buffer {
  return keyOf(register, kind, id);
}

/** The key of a row among those of its source. */
export function ownKey(source: string, { register, kind, id }: RowKey): Buffer {
  return keyOf(source, register, kind, id);
}

export function ownedRow(key: Uint8Array): RowKey {
  const [, register = "", kind, id = ""] = textsOf(key);
  return { register, kind: kind as RowKind, id };
}

/** Positions as texts that are ordered as the numbers are. */
export function positionText(position: number): string {
  return position.toString(36).padStart(11, "0");
}

export function positionIn(text: string): number {
  return Number.parseInt(text, 36);
}
