import type Type from "typebox";
import type { Validator } from "typebox/compile";
import { Compile } from "typebox/compile";

const validators = new Map<Type.TSchema, Validator>();

/** The validator of a schema, made once. */
export function validatorOf(schema: Type.TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator;
}

/** Whether a value is what a schema describes. */
export function isWellFormed(schema: Type.TSchema, value: unknown): boolean {
  return validatorOf(schema).Check(value);
}
