import type { ObjectId } from "../network/value.ts";

/** How an object's value is coded. */
export type Kind = "analog" | "binary" | "multiState";

interface ObjectTypeRow {
  readonly code: number;
  readonly kind: Kind;
  readonly role: "input" | "output" | "value";
}

/** Types of objects that hold a value, by the names of hub-api 2.10 (ASHRAE 135, 12). */
export const objectTypes = {
  analogInput: { code: 0, kind: "analog", role: "input" },
  analogOutput: { code: 1, kind: "analog", role: "output" },
  analogValue: { code: 2, kind: "analog", role: "value" },
  binaryInput: { code: 3, kind: "binary", role: "input" },
  binaryOutput: { code: 4, kind: "binary", role: "output" },
  binaryValue: { code: 5, kind: "binary", role: "value" },
  multiStateInput: { code: 13, kind: "multiState", role: "input" },
  multiStateOutput: { code: 14, kind: "multiState", role: "output" },
  multiStateValue: { code: 19, kind: "multiState", role: "value" },
} as const satisfies Record<string, ObjectTypeRow>;

/** The name of a type of objects. */
export type ObjectType = keyof typeof objectTypes;

export const objectTypeNames = Object.keys(objectTypes) as ObjectType[];

/** The number of the type of device objects. */
export const deviceType = 8;

/** Returns the identifier of an object. */
export function objectIdOf(object: { readonly type: ObjectType; readonly instance: number }): ObjectId {
  return { type: objectTypes[object.type].code, instance: object.instance };
}

/** Returns the type with a number; undefined for one that holds no value of use. */
export function objectTypeOf(code: number): ObjectType | undefined {
  return objectTypeNames.find((name) => objectTypes[name].code === code);
}

/** Properties by their numbers (ASHRAE 135, 21). */
export const property = {
  modelName: 70,
  numberOfStates: 74,
  objectList: 76,
  objectName: 77,
  presentValue: 85,
  priorityArray: 87,
  statusFlags: 111,
  units: 117,
  vendorName: 121,
} as const;
