import type { LazyValidator } from "@ledge/model";
import { misfitOf, refuseSetting } from "@ledge/port";

/**
 * Returns a value of a foreign file that fits a schema.
 * @param where the file, and the place in it
 * @throws AdapterError `settings`; the message names the file and the field
 */
export function checked<Checked>(where: string, validator: LazyValidator<Checked>, value: unknown): Checked {
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
