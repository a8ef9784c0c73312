import { limits } from "@ledge/model";
import type { Validator } from "typebox/compile";
import type { Problem } from "./refused.ts";

type SchemaErrors = ReturnType<Validator["Errors"]>;

/**
 * Returns what a schema finds wrong with a value, one problem per field. For a union it reports only the
 * branch that the value was probably meant for.
 * @param index the value's place in a list
 */
export function problemsOf(
  validator: Pick<Validator, "Errors">,
  value: unknown,
  index?: number,
): readonly Problem[] {
  const byField = new Map<string, SchemaErrors[number][]>();
  for (const error of validator.Errors(value)) {
    if (isSaidInside(error)) continue;
    const field = fieldOf(error);
    const found = byField.get(field);
    if (found) found.push(error);
    else if (byField.size < limits.problems) byField.set(field, [error]);
  }
  return [...byField].map(([field, errors]) => {
    const message = messageOf(errors);
    return index === undefined ? { field, message } : { index, field, message };
  });
}

/** Whether other errors say the same of fields inside: of a failed choice, and of each property that may not be there. */
function isSaidInside({ keyword }: SchemaErrors[number]): boolean {
  return keyword === "if" || keyword === "additionalProperties";
}

function fieldOf(error: SchemaErrors[number]): string {
  const path = error.instancePath.split("/").slice(1).map(unescape);
  if (error.keyword === "required") path.push(error.params.requiredProperties[0] ?? "");
  return path.join(".");
}

/** Decodes a part of a JSON pointer (RFC 6901). */
function unescape(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function messageOf(errors: SchemaErrors): string {
  const constants = errors.flatMap((error) =>
    error.keyword === "const" ? [JSON.stringify(error.params.allowedValue)] : [],
  );
  if (constants.length > 0) return `must be ${constants.join(" or ")}`;
  const telling = errors.find(
    ({ keyword, params }) => keyword !== "anyOf" && (params as { type?: unknown }).type !== "null",
  );
  const error = telling ?? errors[0];
  if (error?.keyword === "required") return "is missing";
  if (error?.keyword === "boolean") return "is not a name that is allowed here";
  return error?.message ?? "is invalid";
}
