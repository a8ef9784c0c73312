import { limits } from "@ledge/model";
import { isInherited } from "./expression.ts";
import { fail, under } from "./problem.ts";

/** An object or list that is being read. */
interface Open {
  readonly path: string;
  /** In an object: its keys so far. */
  readonly keys: Set<string> | undefined;
  /** In a list: how many values have begun. */
  count: number;
  /** In an object: the key whose value comes next. */
  key: string | undefined;
}

/**
 * Reads the JSON of a custom rule.
 * @throws SourceProblem when it is too long, too deep or not JSON, or has a key twice or one that would reach
 * a prototype
 */
export function readSource(text: string): unknown {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.customRuleBytes) fail("", `a custom rule has at most ${limits.customRuleBytes} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    fail("", `not valid JSON: ${(error as SyntaxError).message}`);
  }
  placesIn(text);
  return value;
}

/**
 * Returns the line (from 1) on which the value at a path begins, or the nearest value around it; undefined
 * for a source that cannot be read.
 */
export function lineIn(text: string, path: string): number | undefined {
  try {
    JSON.parse(text);
    const index = nearest(path, placesIn(text, false));
    return text.slice(0, index).split("\n").length;
  } catch {
    return undefined;
  }
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/** Returns where each value begins in a JSON text. */
function placesIn(text: string, isStrict = true): ReadonlyMap<string, number> {
  const places = new Map<string, number>([["", 0]]);
  const open: Open[] = [];
  let here: Open | undefined;
  for (const { 0: found, index } of text.matchAll(token)) {
    if (found === "," || found === ":") continue;
    if (found === "}" || found === "]") {
      open.pop();
      here = open.at(-1);
      continue;
    }
    if (here?.keys !== undefined && here.key === undefined) {
      here.key = keyOf(found, here, isStrict);
      continue;
    }
    const path: string = here === undefined ? "" : under(here.path, here.key ?? here.count++);
    places.set(path, index);
    if (here !== undefined) here.key = undefined;
    if (found !== "{" && found !== "[") continue;
    if (open.length >= limits.customRuleNesting)
      fail("", `it is nested more than ${limits.customRuleNesting} deep`);
    here = { path, keys: found === "{" ? new Set() : undefined, count: 0, key: undefined };
    open.push(here);
  }
  return places;
}

function keyOf(found: string, { path, keys }: Open, isStrict: boolean): string {
  const key = JSON.parse(found) as string;
  if (!isStrict) return key;
  if (isInherited(key)) fail(under(path, key), `a key cannot be ${key}`);
  if (keys?.has(key)) fail(under(path, key), `the key ${key} is given twice`);
  keys?.add(key);
  return key;
}

function nearest(path: string, places: ReadonlyMap<string, number>): number {
  let at = path;
  while (!places.has(at)) at = at.includes(".") ? at.slice(0, at.lastIndexOf(".")) : "";
  return places.get(at) ?? 0;
}
