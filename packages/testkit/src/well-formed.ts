import type Type from "typebox";
import type { Validator } from "typebox/compile";
import { Compile } from "typebox/compile";

const validators = new Map<Type.TSchema, Validator>();

/** Returns the validator of a schema, compiled once. */
export function validatorOf(schema: Type.TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator;
}

/** Whether a value matches a schema. */
export function isWellFormed(schema: Type.TSchema, value: unknown): boolean {
  return validatorOf(schema).Check(value);
}
