import type { Failure } from "../api/call.ts";
import { t } from "../texts/texts.ts";

/** What is wrong with the fields of a form, by field; `others` with what is none of its fields. */
export interface FieldFaults<Field extends string> {
  readonly of: Readonly<Partial<Record<Field, string>>>;
  readonly others: readonly string[];
}

/** Returns what a hub's refusal says of the fields of a form; it says of a field at most one thing. */
export function faultsIn<Field extends string>(
  { errors }: Pick<Failure, "errors">,
  fields: readonly Field[],
): FieldFaults<Field> {
  const of: Partial<Record<Field, string>> = {};
  const others: string[] = [];
  for (const { field, message } of errors) {
    const known = fields.find((each) => each === field);
    const words = message === "is missing" ? t("login.missing") : message;
    if (known === undefined) others.push(`${field}: ${message}`);
    else of[known] ??= words;
  }
  return { of, others };
}
