import { misfitOf, refuseSetting } from "@ledge/port";
import type Type from "typebox";
import type { Validator } from "typebox/compile";

/**
 * Returns a value of a foreign file that fits a schema.
 * @param where the file, and the place in it
 * @throws AdapterError `settings`; the message names the file and the field
 */
export function checked<Schema extends Type.TSchema>(
  where: string,
  validator: Validator<Type.TProperties, Schema>,
  value: unknown,
): Type.Static<Schema> {
  if (validator.Check(value)) return value;
  const { steps, reason } = misfitOf(validator, value);
  return refuseSetting(where, `${steps.join(".") || "it"} ${reason}`);
}

/**
 * Parses a JSON text.
 * @throws AdapterError `settings`
 */
export function parsedJson(where: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuseSetting(where, "is no JSON");
  }
}
