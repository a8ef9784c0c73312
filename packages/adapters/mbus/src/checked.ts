import { misfitOf, refuseSetting } from "@ledge/port";
import type Type from "typebox";
import { Compile } from "typebox/compile";

/**
 * Returns the value when it matches the schema.
 * @param path where the value is in the settings, such as `ports[0].transport`; empty for the whole.
 * @throws AdapterError `settings`
 */
export function checked<T extends Type.TSchema>(schema: T, value: unknown, path: string): Type.Static<T> {
  const validator = Compile(schema);
  if (validator.Check(value)) return value;
  const { steps, reason } = misfitOf(validator, value);
  return refuseSetting(steps.reduce(below, path), reason);
}

function below(path: string, step: string): string {
  if (/^\d+$/.test(step)) return `${path}[${step}]`;
  return path === "" ? step : `${path}.${step}`;
}
