// Values that a client chose: what is checked before anything walks them.
import { ProtocolError } from "./messages.ts";

/**
 * Refuses what would harm code that walks or copies a value: deep nesting, and keys that reach a prototype.
 * @throws ProtocolError
 */
export function refuseHarmful(value: unknown, depthMax: number): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if (depthMax <= 0) throw new ProtocolError("the message is nested too deeply");
  if (Array.isArray(value)) {
    for (const element of value) refuseHarmful(element, depthMax - 1);
    return;
  }
  for (const key in value) {
    if (key === "__proto__") throw new ProtocolError("the message has a key __proto__");
    refuseHarmful((value as Readonly<Record<string, unknown>>)[key], depthMax - 1);
  }
}

/** @throws ProtocolError unless the value is a text with at least one character. */
export function textOf(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "") throw new ProtocolError(`${what} must be a text`);
  return value;
}

/** @throws ProtocolError unless the value is a text, null or absent. */
export function optionalText(value: unknown, what: string): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : textOf(value, what);
}

/** @throws ProtocolError unless the value is a list. */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ProtocolError(`${what} must be a list`);
  return value;
}

/** @throws ProtocolError unless the value is a list of texts, null or absent. */
export function textsOf(value: unknown, what: string): readonly string[] {
  if (value === undefined || value === null) return [];
  return listOf(value, what).map((text) => textOf(text, what));
}

/** @throws ProtocolError unless the value is a whole number from 0. */
export function countOf(value: unknown, what: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new ProtocolError(`${what} must be a whole number`);
  }
  return value as number;
}
