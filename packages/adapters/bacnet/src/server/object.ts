import type { LibraryValue } from "node-bacnet";
import { objectTypes, type Kind, type ObjectType } from "../map/object-type.ts";
import type { Exposed } from "./exposed.ts";
import { bits, boolean, enumerated, none, objectId, real, text, unsigned } from "./value.ts";

/** An object that the hub serves. */
export interface ServerObject extends Exposed {
  readonly instance: number;
  /** Unique in the hub. */
  readonly name: string;
  readonly description: string;
  /** The device of the hub; null for an object to which BACnet clients write and that becomes a device. */
  readonly device: string | null;
  /** The attribute's value; null when it is not known. */
  value: boolean | number | null;
  reachable: boolean;
  /** What clients command, by priority 1 to 16. */
  readonly priorities: Map<number, Written>;
}

/** What a client has written into a slot. */
export interface Written {
  readonly number: number;
  readonly client: string;
}

/** Properties of objects by number (ASHRAE 135, 21). */
export const properties = {
  activeText: 4,
  covIncrement: 22,
  description: 28,
  eventState: 36,
  inactiveText: 46,
  numberOfStates: 74,
  objectIdentifier: 75,
  objectName: 77,
  objectType: 79,
  outOfService: 81,
  polarity: 84,
  presentValue: 85,
  priorityArray: 87,
  reliability: 103,
  relinquishDefault: 104,
  statusFlags: 111,
  units: 117,
  propertyList: 371,
} as const;

/** Why a value cannot be relied upon (BACnetReliability). */
const reliability = { noFaultDetected: 0, unreliableOther: 7, communicationFailure: 12 } as const;

export function kindOf({ type }: { readonly type: ObjectType }): Kind {
  return objectTypes[type].kind;
}

/** Returns the present value as a number: of a binary object 0 or 1, of a multi-state object from 1. */
export function presentNumber(object: ServerObject): number {
  const { value, scale } = object;
  const kind = kindOf(object);
  if (kind === "binary") return value === true ? 1 : 0;
  const number = typeof value === "number" ? value : 0;
  if (kind === "multiState") return Math.min(Math.max(1, Math.round(number) + 1), object.states);
  return number * scale;
}

/** Returns a number as a value of an object's type. */
export function asValue(object: ServerObject, number: number): LibraryValue {
  const kind = kindOf(object);
  if (kind === "analog") return real(number);
  return kind === "binary" ? enumerated(number) : unsigned(number);
}

function reliabilityOf({ value, reachable }: ServerObject): number {
  if (!reachable) return reliability.communicationFailure;
  return value === null ? reliability.unreliableOther : reliability.noFaultDetected;
}

/** Returns the status flags: in alarm, fault, overridden, out of service. */
export function statusFlags(object: ServerObject): LibraryValue {
  return bits([false, reliabilityOf(object) !== reliability.noFaultDetected, false, false]);
}

/** Returns the properties that an object has, in order. */
export function propertiesOf(object: ServerObject): readonly number[] {
  const { presentValue, outOfService, eventState } = properties;
  const kind = kindOf(object);
  const isBinary = kind === "binary";
  return [
    properties.objectIdentifier,
    properties.objectName,
    properties.objectType,
    presentValue,
    properties.description,
    properties.statusFlags,
    eventState,
    properties.reliability,
    outOfService,
    ...(kind === "analog" ? [properties.units, properties.covIncrement] : []),
    ...(isBinary && objectTypes[object.type].role !== "value" ? [properties.polarity] : []),
    ...(isBinary ? [properties.inactiveText, properties.activeText] : []),
    ...(kind === "multiState" ? [properties.numberOfStates] : []),
    ...(object.commandable ? [properties.priorityArray, properties.relinquishDefault] : []),
    properties.propertyList,
  ];
}

/** The properties that the standard requires of every object, and that its Property_List leaves out. */
const unlisted: ReadonlySet<number> = new Set([
  properties.objectIdentifier,
  properties.objectName,
  properties.objectType,
  properties.propertyList,
]);

/** Returns whether a property is optional in the standard. */
export function isOptional(property: number, object: ServerObject): boolean {
  const { description, inactiveText, activeText } = properties;
  if (property === properties.priorityArray || property === properties.relinquishDefault)
    return objectTypes[object.type].role === "value";
  const optional: readonly number[] = [description, properties.reliability, inactiveText, activeText];
  return optional.includes(property) || property === properties.covIncrement;
}

/** The properties that are arrays, of which clients may read a part. */
export const arrays: ReadonlySet<number> = new Set([properties.priorityArray, properties.propertyList]);

/** Returns the values of a property; undefined when the object does not have it. */
export function readObject(object: ServerObject, property: number): readonly LibraryValue[] | undefined {
  if (!propertiesOf(object).includes(property)) return undefined;
  switch (property) {
    case properties.objectIdentifier:
      return [objectId(objectTypes[object.type].code, object.instance)];
    case properties.objectName:
      return [text(object.name)];
    case properties.objectType:
      return [enumerated(objectTypes[object.type].code)];
    case properties.description:
      return [text(object.description)];
    case properties.presentValue:
      return [asValue(object, presentNumber(object))];
    case properties.statusFlags:
      return [statusFlags(object)];
    case properties.eventState:
    case properties.polarity:
      // Normal.
      return [enumerated(0)];
    case properties.reliability:
      return [enumerated(reliabilityOf(object))];
    case properties.outOfService:
      return [boolean(false)];
    case properties.units:
      return [enumerated(object.unit)];
    case properties.covIncrement:
      return [real(object.covIncrement)];
    case properties.inactiveText:
      return [text("Inactive")];
    case properties.activeText:
      return [text("Active")];
    case properties.numberOfStates:
      return [unsigned(object.states)];
    case properties.priorityArray:
      return Array.from({ length: 16 }, (_, slot) => {
        const written = object.priorities.get(slot + 1);
        return written === undefined ? none : asValue(object, written.number);
      });
    case properties.relinquishDefault:
      return [asValue(object, kindOf(object) === "multiState" ? 1 : 0)];
    default:
      return propertiesOf(object)
        .filter((each) => !unlisted.has(each))
        .map(enumerated);
  }
}

/** Why a value cannot be written: an error of class property, by its code. */
export type WriteProblem = "invalidDataType" | "valueOutOfRange";

/** Returns the number that a client wants; null relinquishes. */
export function wantedNumber(
  object: ServerObject,
  values: readonly LibraryValue[],
): number | null | WriteProblem {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0) return "invalidDataType";
  if (value.type === 0) return null;
  const number = value.value;
  const kind = kindOf(object);
  const type = { analog: 4, binary: 9, multiState: 2 }[kind];
  if (value.type !== type || typeof number !== "number") return "invalidDataType";
  if (kind === "binary") return number <= 1 ? number : "valueOutOfRange";
  if (kind === "multiState") return number >= 1 && number <= object.states ? number : "valueOutOfRange";
  return Number.isFinite(number) ? number : "valueOutOfRange";
}

/** Returns a number of an object as the value of its attribute. */
export function attributeValue(object: ServerObject, number: number): boolean | number {
  const kind = kindOf(object);
  if (kind === "binary") return number === 1;
  return kind === "multiState" ? number - 1 : Number((number / object.scale).toPrecision(7));
}
