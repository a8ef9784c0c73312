import { type Problem, problemsOf } from "@ledge/link";
import { limits } from "@ledge/model";
import type Type from "typebox";
import { invalid, Refused } from "./refused.ts";
import { validatorOf } from "./validator.ts";

/** The parameters of a URL by name; of a repeated one the first. Names come from outside: no prototype. */
export type Parameters = Record<string, unknown>;

/** What a row made of a query; it may be of several requests. */
export type ReadQuery = Readonly<Parameters> | Refused;

/** Queries longer than this (characters) are read anew each time. */
const keptChars = 256;

/**
 * Makes a reader of a row's URLs. The same query as the last one is not read again: clients poll with one cursor
 * until something changes.
 */
export function urlReader(schema: Type.TObject, refused?: string): (url: string) => ReadQuery {
  const read = queryReader(schema, refused);
  let last: string | undefined;
  let found: ReadQuery;
  return (url) => {
    const start = url.indexOf("?");
    const query = start === -1 ? "" : url.slice(start);
    if (query === last) return found;
    last = query.length > keptChars ? undefined : query;
    return (found = read(parametersOf(query)));
  };
}

/** An object without a prototype to reach, yet one that the engine keeps fast: `Object.create(null)` is not. */
const Bare = function Bare() {} as unknown as new () => Parameters;
Bare.prototype = Object.freeze(Object.create(null));

/** Parses the query of a URL. What is not well percent-encoded stands for itself. */
export function parametersOf(url: string): Parameters {
  const parameters = new Bare();
  let start = url.indexOf("?") + 1;
  if (start === 0) return parameters;
  const hash = url.indexOf("#", start);
  const end = hash === -1 ? url.length : hash;
  for (let count = 0; count < limits.queryParameters && start < end; count++) {
    let next = url.indexOf("&", start);
    if (next === -1 || next > end) next = end;
    let equals = url.indexOf("=", start);
    if (equals === -1 || equals > next) equals = next;
    const name = decode(url.slice(start, equals));
    if (next > start) parameters[name] ??= decode(url.slice(equals + 1, next));
    start = next + 1;
  }
  return parameters;
}

function decode(text: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

const integer = /^[+-]?\d+(?:\.0+)?$/;

/** Beyond what a number holds exactly, the outermost that it does: all that is asked there is which is more. */
function clamped(value: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
}

/**
 * Makes a reader of a row's query. Numbers may be written as a float of integer value, booleans as `True` or
 * `true` (wire-facts 4); an optional parameter without text is one that is missing.
 * @param refused a parameter that is not passed over where the schema does not have it
 */
export function queryReader(
  schema: Type.TObject,
  refused?: string,
): (parameters: Parameters) => Parameters | Refused {
  const validator = validatorOf(schema);
  const required = new Set(schema.required ?? []);
  const types = new Map(
    Object.entries(schema.properties).map(([name, property]) => [name, (property as { type?: string }).type]),
  );
  return (parameters) => {
    let problems: Problem[] | undefined;
    for (const name in parameters) {
      if (!types.has(name)) {
        if (name === refused) (problems ??= []).push({ field: name, message: "is not for this request" });
        continue;
      }
      const text = parameters[name] as string;
      const type = types.get(name);
      if (text === "" && !required.has(name)) delete parameters[name];
      else if (type === "integer") {
        if (integer.test(text)) parameters[name] = clamped(Number(text));
        else (problems ??= []).push({ field: name, message: "must be an integer" });
      } else if (type === "boolean" && /^(?:true|false)$/i.test(text)) {
        parameters[name] = text.toLowerCase() === "true";
      }
    }
    if (problems !== undefined) return invalid(problems);
    return validator().Check(parameters) ? parameters : invalid(problemsOf(validator(), parameters));
  };
}
