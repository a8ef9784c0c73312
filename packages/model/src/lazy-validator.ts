import type Type from "typebox";
import { Compile, type Validator } from "typebox/compile";

/** What a validator of a schema can be asked. */
export type LazyValidator<Checked> = Pick<Validator, "Errors"> & {
  Check(value: unknown): value is Checked;
};

/**
 * Returns a validator that compiles its schema at the first check. A program that loads hundreds of schemas checks few
 * of them, and to compile one takes milliseconds.
 */
export function lazyValidator<const T extends Type.TSchema>(schema: T): LazyValidator<Type.StaticEncode<T>> {
  let compiled: Validator<{}, T> | undefined;
  const validator = (): Validator<{}, T> => (compiled ??= Compile(schema));
  return {
    Check: (value): value is Type.StaticEncode<T> => validator().Check(value),
    Errors: (value) => validator().Errors(value),
  };
}
