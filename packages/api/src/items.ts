import { type Problem, problemsOf } from "@ledge/link";
import { limits } from "@ledge/model";
import Type from "typebox";
import type { Validator } from "typebox/compile";
import { admitsCommand } from "./access.ts";
import { forbidden, invalid, type Refused } from "./refused.ts";
import type { Row } from "./row.ts";
import { validatorOf } from "./validator.ts";

/** A body, validated: the list of its items, or the one value of a row that takes no list. */
export interface ReadBody {
  readonly body: unknown;
  readonly isList: boolean;
}

type Item = Record<string, unknown>;

/**
 * Makes a reader of a row's body. Every item is told by its `type` from the alternatives of the row's schema,
 * where the row has but one the type may be missing. What an item's type asks for is checked for all items
 * before any item's fields are.
 * @returns the body, 403 when the role may not send one of the items, or 422.
 */
export function bodyReader(row: Row): (value: unknown, role: number) => ReadBody | Refused {
  const schema = row.body ?? Type.Unknown();
  const kinds = kindsOf(schema);
  const whole = validatorOf(schema);
  return (value, role) => {
    const isList = row.list === true && Array.isArray(value);
    const items: readonly unknown[] = isList ? (value as unknown[]) : [value];
    if (items.length > limits.listItems) {
      return invalid([{ field: "", message: `a list has at most ${limits.listItems} items` }]);
    }
    const problems: Problem[] = [];
    const checks: Validator[] = [];
    for (const [index, item] of items.entries()) {
      const place = isList ? index : undefined;
      const kind = kinds === undefined ? whole() : kindOf(item, kinds);
      if (typeof kind !== "string") {
        checks.push(kind);
        if (kinds !== undefined && !admitsCommand((item as Item)["type"] as string, item as Item, role)) {
          return forbidden(`this role may not send ${(item as Item)["type"] as string}`);
        }
      } else if (problems.length < limits.problems) {
        const field = kind === notAnObject ? "" : "type";
        problems.push(
          place === undefined ? { field, message: kind } : { index: place, field, message: kind },
        );
      }
    }
    if (problems.length > 0) return invalid(problems);
    for (const [index, check] of checks.entries()) {
      if (check.Check(items[index])) continue;
      problems.push(...problemsOf(check, items[index], isList ? index : undefined));
      if (problems.length >= limits.problems) break;
    }
    if (problems.length > 0) return invalid(problems.slice(0, limits.problems));
    return { body: row.list === true ? items : value, isList };
  };
}

const notAnObject = "must be an object";

/** The check for an item by its `type`, or what is wrong with the type. */
function kindOf(item: unknown, kinds: ReadonlyMap<string, () => Validator>): Validator | string {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return notAnObject;
  const object = item as Item;
  const names = [...kinds.keys()];
  if (names.length === 1) object["type"] ??= names[0];
  const { type } = object;
  const kind = typeof type === "string" ? kinds.get(type) : undefined;
  return kind?.() ?? `must be ${names.join(" or ")}`;
}

/** Checks by the constant `type` of a schema or of its alternatives; undefined when they have none. */
function kindsOf(schema: Type.TSchema): ReadonlyMap<string, () => Validator> | undefined {
  const alternatives = Type.IsUnion(schema) ? schema.anyOf : [schema];
  const kinds = new Map<string, () => Validator>();
  for (const alternative of alternatives) {
    const type = Type.IsObject(alternative) ? alternative.properties["type"] : undefined;
    if (type === undefined || !Type.IsLiteral(type)) return undefined;
    kinds.set(String(type.const), validatorOf(alternative));
  }
  return kinds;
}
