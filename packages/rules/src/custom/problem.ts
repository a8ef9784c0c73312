import type { Rejection } from "@ledge/model";
import { reject } from "@ledge/model";
import { isInherited } from "./expression.ts";

/** Why a source is no custom rule. Thrown inside of this folder only; outside it is a Rejection. */
export class SourceProblem extends Error {
  /** Names and indexes with dots between them. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }

  get rejection(): Rejection {
    return this.path === "" ? reject("invalid", this.message) : reject("invalid", this.message, this.path);
  }
}

export function fail(path: string, message: string): never {
  throw new SourceProblem(path, message);
}

export function under(path: string, name: string | number): string {
  return path === "" ? String(name) : `${path}.${name}`;
}

export type Fields = Readonly<Record<string, unknown>>;

/** An object of JSON. */
export function objectAt(json: unknown, path: string): Fields {
  if (typeof json !== "object" || json === null || Array.isArray(json)) fail(path, "an object is wanted");
  return json as Fields;
}

/** An object that has no other fields than those that may be there. */
export function shapeAt(json: unknown, path: string, allowed: Pick<ReadonlySet<string>, "has">): Fields {
  const object = objectAt(json, path);
  for (const name of Object.keys(object)) {
    if (!allowed.has(name)) fail(under(path, name), `${name} is not known here`);
  }
  return object;
}

/** A text of at most so many characters. */
export function textAt(json: unknown, path: string, most: number): string {
  if (typeof json !== "string") fail(path, "a text is wanted");
  if (json.length > most) fail(path, `at most ${most} characters`);
  return json;
}

/** A list, or the one thing that stands for a list of it; nothing is none. */
export function listAt(json: unknown): readonly unknown[] {
  if (json === undefined) return [];
  return Array.isArray(json) ? (json as readonly unknown[]) : [json];
}

/** Refuses names that objects inherit, and those that do not have a form. */
export function nameAt(name: string, path: string, form: RegExp, what: string): string {
  if (isInherited(name)) fail(path, `nothing may be called ${name}`);
  if (!form.test(name)) fail(path, what);
  return name;
}
