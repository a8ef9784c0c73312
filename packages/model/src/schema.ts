import Type from "typebox";
import { limits } from "./limits.ts";

/** A value, or null where there is none. */
export function orNull<T extends Type.TSchema>(schema: T): Type.TUnion<[T, Type.TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** A value that need not be there: left out and null say the same. */
export function optionalOrNull<T extends Type.TSchema>(
  schema: T,
): Type.TOptional<Type.TUnion<[T, Type.TNull]>> {
  return Type.Optional(orNull(schema));
}

/** A value that a client may leave out or send as null to leave a thing unchanged (wire-facts 2). */
export function unchangedIfNull<T extends Type.TSchema>(
  schema: T,
): Type.TOptional<Type.TUnion<[T, Type.TNull]>> {
  return optionalOrNull(schema);
}

/** A field that clients send empty: nothing is done with it, so that anything else in it is refused, not dropped. */
export const notTaken = Type.Optional(Type.Null());

/**
 * An object that is `named` when its `type` is that name, and `other` otherwise. Told apart so, and not by a union,
 * what is wrong with it is said of the one that was meant.
 */
export function byType<Named extends Type.TSchema, Other extends Type.TSchema>(
  name: string,
  named: Named,
  other: Other,
): Type.TUnsafe<Type.Static<Named> | Type.Static<Other>> {
  const isNamed = { properties: { type: { const: name } }, required: ["type"] };
  // Faults behind an `else` are told one by one, those behind a `then` are not.
  const choices = [
    { if: { not: isNamed }, else: named },
    { if: isNamed, else: other },
  ];
  return Type.Unsafe({ type: "object", allOf: choices });
}

/** Ids are opaque strings; the bound keeps a hostile one small. */
export const Id = Type.String({ minLength: 1, maxLength: limits.idChars });

/** A name that people read: at least one character that is not white space. */
export const Name = Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: "\\S" });

/** A short text that is no name: what a device, a radio or another program calls something. */
export const Word = Type.String({ minLength: 1, maxLength: limits.nameChars });

/** A SET of hub-api 1. */
export const StringSet = Type.Object({ type: Type.Literal("SET"), values: Type.Array(Type.String()) });

/** The `room` list of devices and groups: one room supported (hub-api 8). */
export const RoomList = Type.Array(Id, { maxItems: 1 });

/** True when two lists of ids hold the same in the same order. */
export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
