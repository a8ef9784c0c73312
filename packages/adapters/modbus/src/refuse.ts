import { AdapterError } from "@ledge/port";
import type Type from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";

/** @throws AdapterError `settings`, always; the message starts with the path of the field. */
export function refuseSetting(path: string, reason: string): never {
  throw new AdapterError("settings", `${path === "" ? "settings" : path}: ${reason}`);
}

/**
 * Returns the value when it matches the schema.
 * @param path where the value is in the settings, such as `ports[0].transport`; empty for the whole.
 * @throws AdapterError `settings`
 */
export function checked<T extends Type.TSchema>(schema: T, value: unknown, path: string): Type.Static<T> {
  const validator = Compile(schema);
  if (validator.Check(value)) return value;
  const errors = validator.Errors(value);
  // Errors name both a wrong field and its object; the object's error tells which fields are missing.
  const error =
    errors.find(({ keyword }) => keyword === "required" || keyword === "additionalProperties") ?? errors[0];
  if (error === undefined) return refuseSetting(path, "is invalid");
  return refuseSetting(pathOf(error, path), reasonOf(error));
}

function pathOf(error: TLocalizedValidationError, base: string): string {
  const steps = error.instancePath.split("/").slice(1);
  if (error.keyword === "required") steps.push(error.params.requiredProperties[0] ?? "");
  if (error.keyword === "additionalProperties") steps.push(error.params.additionalProperties[0] ?? "");
  return steps.reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`;
    return path === "" ? step : `${path}.${step}`;
  }, base);
}

function reasonOf(error: TLocalizedValidationError): string {
  if (error.keyword === "required") return "is missing";
  if (error.keyword === "additionalProperties") return "is unknown";
  if (error.keyword === "enum") return `must be one of ${error.params.allowedValues.join(", ")}`;
  return error.message;
}
