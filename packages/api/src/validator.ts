import type Type from "typebox";
import { Compile, type Validator } from "typebox/compile";

/** The validator of a schema, compiled when it is first asked for: few of the hundreds are, and each holds its code. */
export function validatorOf(schema: Type.TSchema): () => Validator {
  let validator: Validator | undefined;
  return () => (validator ??= Compile(schema));
}
