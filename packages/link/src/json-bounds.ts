/** Limits of a JSON text, checked while it is scanned and before any value is built. */
export interface JsonBounds {
  /** Nested objects and arrays. */
  readonly depth: number;
  /** Keys of one object; a repeated key counts each time. */
  readonly keys: number;
  /** Items of one array. */
  readonly items: number;
  /** Keys and items of the whole text. */
  readonly values: number;
}

const code = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  backslash: 0x5c,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/**
 * Finds the first limit that a JSON text exceeds, and stops there, so that a text costs no more than the
 * limits allow. It leaves syntax errors to the parser.
 * @returns what is wrong, or undefined
 */
export function excessIn(text: Uint8Array, bounds: JsonBounds): string | undefined {
  const isArray = new Uint8Array(bounds.depth + 1);
  const counts = new Uint32Array(bounds.depth + 1);
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at] as number) {
      case code.quote:
        at = endOfString(text, at);
        continue;
      case code.openArray:
      case code.openObject: {
        if (depth === bounds.depth) return `the body is nested more than ${bounds.depth} deep`;
        depth++;
        isArray[depth] = text[at] === code.openArray ? 1 : 0;
        // An array has one item more than it has commas.
        counts[depth] = isArray[depth] as number;
        break;
      }
      case code.closeArray:
      case code.closeObject:
        if (depth > 0) depth--;
        continue;
      case code.colon:
        if (isArray[depth] === 1) continue;
        if (++(counts[depth] as number) > bounds.keys) return `an object has at most ${bounds.keys} keys`;
        break;
      case code.comma:
        if (isArray[depth] === 0) continue;
        if (++(counts[depth] as number) > bounds.items) return `an array has at most ${bounds.items} items`;
        break;
      default:
        continue;
    }
    if (++values > bounds.values) return `a body has at most ${bounds.values} keys and items`;
  }
  return undefined;
}

/** Returns the position of the quote that ends a string, or of the end of the text. */
function endOfString(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== code.quote) at += text[at] === code.backslash ? 2 : 1;
  return at;
}
