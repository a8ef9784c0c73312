import type { Expose } from "./expose.ts";
import { keyOf } from "./expose.ts";

/** A single value of a device: a property, or a part of a composite property. */
export interface Leaf {
  readonly expose: Expose;
  /** The property that holds it, with the key that sets it. */
  readonly property: string;
  readonly key: string;
  readonly endpoint: string | null;
  /** The keys to the part within the property's value; empty for the whole. */
  readonly path: readonly string[];
  /** The composite that it is a part of. */
  readonly whole?: Expose;
  readonly isSaid: boolean;
  readonly isSettable: boolean;
  readonly isReadable: boolean;
}

/** Returns the single values of an expose: a composite is set as a whole, but shown by its parts. */
export function leavesOf(expose: Expose): readonly Leaf[] {
  const { property, endpoint, isSaid, isSettable, isReadable } = expose;
  const key = keyOf(expose);
  const isCommand = isSettable && !isSaid;
  const leaves = (at: Expose, path: readonly string[]): readonly Leaf[] => {
    if (at.type === "composite" && at.features.length > 0)
      return at.features.flatMap((part) => leaves(part, [...path, part.property]));
    // Parts often say less of themselves than their whole does.
    const access = { isSaid: isSaid || (!isCommand && at.isSaid), isSettable, isReadable };
    const whole = path.length === 0 ? {} : { whole: expose };
    return [{ expose: at, property, key, endpoint, path, ...whole, ...access }];
  };
  return leaves(expose, []);
}

/** Returns a name for a leaf: its property, with its parts after dots, in the characters of names. */
export function nameOf({ property, path }: Leaf): string {
  const name = [property, ...path].join(".").replaceAll(/[^A-Za-z0-9_.-]/g, "_");
  return /^[A-Za-z0-9]/.test(name) ? name : `x${name}`;
}

/** Whether only the device may know a value: a code or a password is never shown, nor sent by a command. */
export function isSecret({ property, path }: Leaf): boolean {
  return /(?:^|[_.])(?:pin|pin_?code|pass_?code|passphrase|password)$/i.test(path.at(-1) ?? property);
}

/** Returns a leaf's value in the value of its property; undefined when it is not there. */
export function partOf({ path }: Pick<Leaf, "path">, value: unknown): unknown {
  let part = value;
  for (const key of path) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) return undefined;
    part = (part as Record<string, unknown>)[key];
  }
  return part;
}

/** A part of a property with its value. */
export interface Part {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Returns the value of a property that has these parts: later parts win. */
export function wholeOf(parts: readonly Part[]): unknown {
  let whole: unknown;
  for (const { path, value } of parts) {
    if (path.length === 0) whole = value;
    else whole = { ...(whole as object | undefined), ...nested(whole, path, value) };
  }
  return whole;
}

function nested(whole: unknown, [key = "", ...rest]: readonly string[], value: unknown): object {
  if (rest.length === 0) return { [key]: value };
  const inner = (whole as Record<string, unknown> | undefined)?.[key];
  return { [key]: { ...(inner as object | undefined), ...nested(inner, rest, value) } };
}
