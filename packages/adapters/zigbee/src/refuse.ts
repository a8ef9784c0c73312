import { AdapterError } from "@ledge/port";
import type { TLocalizedValidationError } from "typebox/error";

/** @throws AdapterError `settings`, always; the message starts with the path of the field. */
export function refuseSetting(path: string, reason: string): never {
  throw new AdapterError("settings", `${path}: ${reason}`);
}

/** Where a value does not fit a schema, such as `radio.path`, and why. The path is empty for the whole value. */
export interface Misfit {
  readonly path: string;
  readonly reason: string;
}

/** Returns the first misfit of a value that its validator has refused. */
export function misfitOf(
  validator: { Errors(value: unknown): readonly TLocalizedValidationError[] },
  value: unknown,
): Misfit {
  const errors = validator.Errors(value);
  // Errors name both a wrong field and its object; the object's error tells which fields are missing.
  const error =
    errors.find(({ keyword }) => keyword === "required" || keyword === "additionalProperties") ?? errors[0];
  if (error === undefined) return { path: "", reason: "is invalid" };
  return { path: pathOf(error), reason: reasonOf(error) };
}

function pathOf(error: TLocalizedValidationError): string {
  const steps = error.instancePath.split("/").slice(1);
  if (error.keyword === "required") steps.push(error.params.requiredProperties[0] ?? "");
  if (error.keyword === "additionalProperties") steps.push(error.params.additionalProperties[0] ?? "");
  return steps.join(".");
}

function reasonOf(error: TLocalizedValidationError): string {
  if (error.keyword === "required") return "is missing";
  if (error.keyword === "additionalProperties") return "is unknown";
  if (error.keyword === "enum") return `must be one of ${error.params.allowedValues.join(", ")}`;
  return error.message;
}
