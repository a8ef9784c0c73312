import type Type from "typebox";
import { Compile } from "typebox/compile";
import { problemsOf } from "./problems.ts";
import { invalid, type Problem, Refused } from "./refused.ts";

/** The parameters of a URL by name; of a repeated one the first. Names come from outside: no prototype. */
export type Parameters = Record<string, unknown>;

const parametersMax = 64;

/** Parses the query of a URL. What is not well percent-encoded stands for itself. */
export function parametersOf(url: string): Parameters {
  const parameters: Parameters = Object.create(null);
  const start = url.indexOf("?");
  if (start === -1) return parameters;
  const hash = url.indexOf("#", start);
  const text = hash === -1 ? url.slice(start + 1) : url.slice(start + 1, hash);
  for (const part of text.split("&", parametersMax)) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    parameters[name] ??= equals === -1 ? "" : decode(part.slice(equals + 1));
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

const integer = /^[+-]?\d{1,16}(?:\.0+)?$/;

/**
 * Makes a reader of a row's query. Numbers may be written as a float of integer value, booleans as `True` or
 * `true` (wire-facts 4); an optional parameter without text is one that is missing.
 */
export function queryReader(schema: Type.TObject): (parameters: Parameters) => Parameters | Refused {
  const validator = Compile(schema);
  const required = new Set(schema.required ?? []);
  const declared = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    type: (property as { type?: string }).type,
    isOptional: !required.has(name),
  }));
  return (parameters) => {
    let problems: Problem[] | undefined;
    for (const { name, type, isOptional } of declared) {
      const text = parameters[name];
      if (typeof text !== "string") continue;
      if (text === "" && isOptional) delete parameters[name];
      else if (type === "integer") {
        if (integer.test(text)) parameters[name] = Number(text);
        else (problems ??= []).push({ field: name, message: "must be an integer" });
      } else if (type === "boolean" && /^(?:true|false)$/i.test(text)) {
        parameters[name] = text.toLowerCase() === "true";
      }
    }
    if (problems !== undefined) return invalid(problems);
    return validator.Check(parameters) ? parameters : invalid(problemsOf(validator, parameters));
  };
}

/** Whether a reader refused. */
export function isRefused(value: unknown): value is Refused {
  return value instanceof Refused;
}
