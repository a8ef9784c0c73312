import type Type from "typebox";
import { Compile, type Validator } from "typebox/compile";
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

/** Validators by schema: to compile one takes about a millisecond, and settings name a thousand devices. */
const validators = new WeakMap<Type.TSchema, Validator>();

/**
 * Returns a setting, or a field of a command, that fits its schema.
 * @param path where it is in the settings, such as `ports[0].transport`; empty for the whole
 * @throws AdapterError `settings`; the message starts with the path of the first misfit, such as `ports[0].transport.path`
 */
export function checkedSetting<T extends Type.TSchema>(
  schema: T,
  value: unknown,
  path: string,
): Type.Static<T> {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  if (validator.Check(value)) return value as Type.Static<T>;
  const { steps, reason } = misfitOf(validator, value);
  return refuseSetting(steps.reduce(below, path), reason);
}

function below(path: string, step: string): string {
  if (/^\d+$/.test(step)) return `${path}[${step}]`;
  return path === "" ? step : `${path}.${step}`;
}

/**
 * Refuses a list of which two entries have the same key.
 * @param keys one for each entry
 * @param path of the list, such as `ports`
 * @param field of an entry that holds the key, such as `name`
 * @throws AdapterError `settings`; the message starts with the path of the second entry's field, such as `ports[1].name`
 */
export function refuseDuplicates(keys: readonly string[], path: string, field: string): void {
  const index = keys.findIndex((key, position) => keys.indexOf(key) !== position);
  if (index >= 0) refuseSetting(`${path}[${index}].${field}`, `"${keys[index]}" is already in use`);
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
