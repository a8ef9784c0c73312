import Type from "typebox";
import { limits } from "./limits.ts";

/** A value or null. */
export function orNull<T extends Type.TSchema>(schema: T): Type.TUnion<[T, Type.TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** An optional value; missing and null mean the same. */
export function optionalOrNull<T extends Type.TSchema>(
  schema: T,
): Type.TOptional<Type.TUnion<[T, Type.TNull]>> {
  return Type.Optional(orNull(schema));
}

/** A value that a client may leave out or send as null to leave it unchanged (wire-facts 2). */
export function unchangedIfNull<T extends Type.TSchema>(
  schema: T,
): Type.TOptional<Type.TUnion<[T, Type.TNull]>> {
  return optionalOrNull(schema);
}

/** A field that clients send empty. Anything else in it is refused, because it would be ignored. */
export const notTaken = Type.Optional(Type.Null());

/**
 * An object that is `named` when its `type` is that name, and `other` otherwise. Unlike a union, this reports
 * errors of the schema that was meant.
 */
export function byType<Named extends Type.TSchema, Other extends Type.TSchema>(
  name: string,
  named: Named,
  other: Other,
): Type.TUnsafe<Type.Static<Named> | Type.Static<Other>> {
  const isNamed = { properties: { type: { const: name } }, required: ["type"] };
  // The validator lists each error below an `else`, but not those below a `then`.
  const choices = [
    { if: { not: isNamed }, else: named },
    { if: isNamed, else: other },
  ];
  return Type.Unsafe({ type: "object", allOf: choices });
}

/** Ids are opaque strings; the limit keeps a hostile one small. */
export const Id = Type.String({ minLength: 1, maxLength: limits.idChars });

/** A name for people: at least one character that is not white space. */
export const Name = Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: "\\S" });

/** A short text that is not a name: a term of a device, a radio or another program. */
export const Word = Type.String({ minLength: 1, maxLength: limits.nameChars });

/** A SET of hub-api 1. */
export const StringSet = Type.Object({ type: Type.Literal("SET"), values: Type.Array(Type.String()) });

/** The `room` list of devices and groups, with at most one room (hub-api 8). */
export const RoomList = Type.Array(Id, { maxItems: 1 });

/** Returns whether two lists of ids are equal, in the same order. */
export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
