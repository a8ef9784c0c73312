import type { RuleConfig } from "@ledge/model";
import { reject } from "@ledge/model";
import type { ValueField } from "../../catalogue/field.ts";
import type { Template } from "../../catalogue/template.ts";
import { understood } from "../../catalogue/value.ts";

/** Returns a check that refuses a CONFIG unless these numbers of the extras, or their defaults, ascend. */
export function ascending(
  extras: Readonly<Record<string, ValueField>>,
  ...fields: readonly string[]
): NonNullable<Template["check"]> {
  return ({ extras: given }) => {
    for (const [index, field] of fields.entries()) {
      const below = fields[index - 1];
      if (below === undefined || numberIn(given, extras, below) < numberIn(given, extras, field)) continue;
      return reject("invalid", `${field} must be greater than ${below}`, `extras.${field}`);
    }
    return undefined;
  };
}

/** Returns a number of a CONFIG's extras, or its default; 0 without one. */
export function numberIn(
  given: RuleConfig["extras"],
  extras: Readonly<Record<string, ValueField>>,
  field: string,
): number {
  const declared = extras[field];
  if (declared === undefined) return 0;
  const [first] = understood(given[field] ?? [], declared);
  return Number(first === undefined ? declared.standard : (first as { readonly value?: unknown }).value);
}
