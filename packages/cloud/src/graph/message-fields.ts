import { type Problem, problemsOf } from "@ledge/link";
import { limits, lazyValidator, type LazyValidator } from "@ledge/model";
import type Type from "typebox";

/** A field that holds a list. */
interface ListField {
  readonly name: string;
  readonly most: number;
  readonly items: LazyValidator<unknown>;
}

/** The fields of a type of message, ready to be checked. */
export class MessageFields {
  readonly #all: LazyValidator<unknown>;
  readonly #lists: readonly ListField[];

  constructor(schema: Type.TObject) {
    this.#all = lazyValidator(schema);
    this.#lists = Object.entries(schema.properties).flatMap(([name, field]) => {
      const { type, items, maxItems = Infinity, minItems = 0 } = field as Type.TSchema & ListSchema;
      const isList = type === "array" && items !== undefined && minItems === 0;
      return isList ? [{ name, most: maxItems, items: lazyValidator(items) }] : [];
    });
  }

  /** Whether a message has the fields of its type. */
  fit(message: object): boolean {
    return this.#all.Check(message);
  }

  /**
   * Returns what is wrong with the fields of a message. Says what is wrong with the items of a list only for the first
   * bad ones: with all of a long list of commands it would take a third of a second.
   */
  problems(message: Readonly<Record<string, unknown>>): readonly Problem[] {
    const rest = { ...message };
    const found: Problem[] = [];
    for (const { name, most, items } of this.#lists) {
      const list = message[name];
      if (!Array.isArray(list)) continue;
      rest[name] = [];
      if (list.length > most) found.push({ field: name, message: `must not have more than ${most} items` });
      else found.push(...problemsIn(name, list, items));
    }
    return [...problemsOf(this.#all, rest), ...found].slice(0, limits.problems);
  }
}

interface ListSchema {
  readonly type?: unknown;
  readonly items?: Type.TSchema;
  readonly maxItems?: number;
  readonly minItems?: number;
}

function problemsIn(name: string, list: readonly unknown[], items: LazyValidator<unknown>): Problem[] {
  const found: Problem[] = [];
  for (const [index, item] of list.entries()) {
    if (items.Check(item)) continue;
    for (const { field, message } of problemsOf(items, item))
      found.push({ field: [name, index, ...(field === "" ? [] : [field])].join("."), message });
    if (found.length >= limits.problems) break;
  }
  return found;
}
