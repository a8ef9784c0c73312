import { excessIn } from "./json-bounds.ts";
import { dropPrototypeKeys, mayHavePrototypeKeys } from "./prototype-keys.ts";
import { Refused } from "./refused.ts";

/** Limits of a line of JSON. */
export interface JsonLineBounds {
  readonly bytes: number;
  /** Nested objects and arrays. */
  readonly depth: number;
}

/** Throws at bytes that are not UTF-8. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses lines of JSON from outside. Decodes them all at once, so that a short line costs little more than its JSON.
 * @param bytes whole lines, each with its end
 * @returns their values without keys that reach a prototype, or the refusal of the first line that exceeds a limit or
 *   is no JSON
 */
export function parseJsonLines(bytes: Uint8Array, bounds: JsonLineBounds): readonly unknown[] | Refused {
  const text = decoded(bytes);
  if (text === undefined) return new Refused(422, "the body is not JSON in UTF-8");
  const mayReach = mayHavePrototypeKeys(text);
  const values: unknown[] = [];
  for (let at = 0; at < text.length;) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    const line = text.slice(at, end);
    at = end + 1;
    // No character has less than a byte, and none more than 3 for each of its code units.
    if (line.length * 3 > bounds.bytes && Buffer.byteLength(line) > bounds.bytes)
      return new Refused(413, `a line has at most ${bounds.bytes} bytes`);
    const excess = hasFewBrackets(line, bounds.depth) ? undefined : depthExcess(line, bounds);
    if (excess !== undefined) return new Refused(422, excess);
    const value = valueIn(line);
    if (value === undefined) return new Refused(422, "the line is not JSON");
    if (mayReach) dropPrototypeKeys(value);
    values.push(value);
  }
  return values;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function valueIn(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns whether a text has too few opening brackets to exceed a depth, whatever else it holds. */
function hasFewBrackets(text: string, depth: number): boolean {
  let count = 0;
  for (const bracket of ["{", "["])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++count > depth) return false;
  return true;
}

function depthExcess(line: string, { depth, bytes }: JsonLineBounds): string | undefined {
  return excessIn(Buffer.from(line), { depth, keys: bytes, items: bytes, values: bytes });
}
