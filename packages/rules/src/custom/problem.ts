import type { Rejection } from "@ledge/model";
import { reject } from "@ledge/model";
import { isInherited } from "./expression.ts";

/** A mistake in the source of a custom rule. Thrown only inside this folder; its callers get a Rejection. */
export class SourceProblem extends Error {
  /** Names and indexes, joined by dots. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }

  get rejection(): Rejection {
    return this.path === "" ? reject("invalid", this.message) : reject("invalid", this.message, this.path);
  }
}

/**
 * Refuses a source because of the value at a path.
 * @throws SourceProblem
 */
export function fail(path: string, message: string): never {
  throw new SourceProblem(path, message);
}

/** Returns the path of a value inside the one at `path`. */
export function under(path: string, name: string | number): string {
  return path === "" ? String(name) : `${path}.${name}`;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Returns a JSON object, or refuses any other value. */
export function objectAt(json: unknown, path: string): Fields {
  if (typeof json !== "object" || json === null || Array.isArray(json)) fail(path, "an object is wanted");
  return json as Fields;
}

/** Returns an object, or refuses one with fields that are not allowed. */
export function shapeAt(json: unknown, path: string, allowed: Pick<ReadonlySet<string>, "has">): Fields {
  const object = objectAt(json, path);
  for (const name of Object.keys(object)) {
    if (!allowed.has(name)) fail(under(path, name), `${name} is not allowed here`);
  }
  return object;
}

/** Returns a text, or refuses one that is too long. */
export function textAt(json: unknown, path: string, most: number): string {
  if (typeof json !== "string") fail(path, "a text is wanted");
  if (json.length > most) fail(path, `at most ${most} characters`);
  return json;
}

/** Returns a list: the list itself, one value as a list of one, or an empty list for undefined. */
export function listAt(json: unknown): readonly unknown[] {
  if (json === undefined) return [];
  return Array.isArray(json) ? (json as readonly unknown[]) : [json];
}

/** Returns a name, or refuses one that objects inherit or that does not have the form. */
export function nameAt(name: string, path: string, form: RegExp, what: string): string {
  if (isInherited(name)) fail(path, `${name} is not allowed as a name`);
  if (!form.test(name)) fail(path, what);
  return name;
}
