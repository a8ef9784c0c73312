import type { TLocalizedValidationError } from "typebox/error";
import { AdapterError } from "./adapter.ts";

/**
 * Refuses a setting, or a field of a command.
 * @param path of the field, such as `radio.path`; empty for the settings as a whole
 * @throws AdapterError `settings`, always; the message starts with the path
 */
export function refuseSetting(path: string, reason: string): never {
  throw new AdapterError("settings", `${path === "" ? "settings" : path}: ${reason}`);
}

/** Where a value does not fit its schema, step by step from the whole, and why. No steps: the whole does not. */
export interface Misfit {
  readonly steps: readonly string[];
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
  if (error === undefined) return { steps: [], reason: "is invalid" };
  return { steps: stepsTo(error), reason: reasonOf(error) };
}

function stepsTo(error: TLocalizedValidationError): readonly string[] {
  const steps = error.instancePath.split("/").slice(1);
  if (error.keyword === "required") steps.push(error.params.requiredProperties[0] ?? "");
  if (error.keyword === "additionalProperties") steps.push(error.params.additionalProperties[0] ?? "");
  return steps;
}

function reasonOf(error: TLocalizedValidationError): string {
  if (error.keyword === "required") return "is missing";
  if (error.keyword === "additionalProperties") return "is unknown";
  if (error.keyword === "enum") return `must be one of ${error.params.allowedValues.join(", ")}`;
  return error.message;
}

/**
 * Whether a text is the path of a serial port, or `<scheme>://host:port` and nothing more.
 * @param schemes such as `tcp`
 */
export function isSerialPath(path: string, schemes: readonly string[]): boolean {
  if (path.startsWith("/")) return !path.includes("\0");
  const url = schemes.some((scheme) => path.startsWith(`${scheme}://`)) ? URL.parse(path) : null;
  const isBare = url !== null && ["", "/"].includes(url.pathname) && url.search === "" && url.username === "";
  return isBare && url.hostname !== "" && url.port !== "" && url.port !== "0";
}
