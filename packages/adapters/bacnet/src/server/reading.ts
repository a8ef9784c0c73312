import type { LibraryValue } from "node-bacnet";
import { deviceType } from "../map/object-type.ts";
import type { PropertyReference, ServerError, ServerRequest, ServerResult } from "../network/responder.ts";
import type { ObjectId } from "../network/value.ts";
import type { DeviceFacts } from "./device-object.ts";
import { deviceArrays, deviceOptional, devicePropertyList, readDevice } from "./device-object.ts";
import { failure } from "./failure.ts";
import type { ServerObject } from "./object.ts";
import { arrays, isOptional, propertiesOf, readObject } from "./object.ts";
import { unsigned } from "./value.ts";

/** What one request reads from. */
export interface Readable {
  readonly facts: DeviceFacts;
  /** Returns an object other than the device itself. */
  readonly find: (id: ObjectId) => ServerObject | undefined;
}

/** Stands for the device itself, whatever its number. */
export const anyDevice = 4_194_303;
/** Special numbers of properties: all, those that are required, and those that are not (13.9). */
const special = { all: 8, optional: 80, required: 105 } as const;
/** The least octets of a result: the tag and number of its property, and the tags around its values. */
const resultOctets = 4;

/** Returns whether an identifier names the device itself. */
export function isDevice({ type, instance }: ObjectId, deviceId: number | undefined): boolean {
  return type === deviceType && (instance === deviceId || instance === anyDevice);
}

/** Reads a property, or one part of an array. */
export function readOne(
  { facts, find }: Readable,
  id: ObjectId,
  { id: property, index }: PropertyReference,
): readonly LibraryValue[] | ServerError {
  const object = find(id);
  if (object === undefined && !isDevice(id, facts.identity.deviceId)) return failure.unknownObject;
  const values = object === undefined ? readDevice(facts, property) : readObject(object, property);
  if (values === undefined) return failure.unknownProperty;
  if (index === undefined) return values;
  if (!(object === undefined ? deviceArrays : arrays).has(property)) return failure.notAnArray;
  if (index === 0) return [unsigned(values.length)];
  const one = values[index - 1];
  return one === undefined ? failure.invalidArrayIndex : [one];
}

/**
 * Reads properties of objects; undefined as soon as the results cannot fit into an APDU of the client.
 * @param octets the most of that APDU
 */
export function readMany(
  from: Readable,
  requests: Extract<ServerRequest, { type: "readMultiple" }>["requests"],
  octets: number,
): readonly ServerResult[] | undefined {
  const { deviceId } = from.facts.identity;
  const results: ServerResult[] = [];
  let least = 0;
  for (const { object: id, properties } of requests) {
    const object = isDevice(id, deviceId) ? { type: deviceType, instance: deviceId } : id;
    const values: { property: PropertyReference; value: readonly LibraryValue[] | ServerError }[] = [];
    for (const reference of properties)
      for (const property of expanded(from, id, reference)) {
        const value = readOne(from, id, property);
        least += resultOctets + ("errorCode" in value ? 0 : value.length);
        if (least > octets) return undefined;
        values.push({ property, value });
      }
    results.push({ object, values });
  }
  return results;
}

function expanded(
  { facts, find }: Readable,
  id: ObjectId,
  reference: PropertyReference,
): readonly PropertyReference[] {
  const which = reference.id;
  if (which !== special.all && which !== special.required && which !== special.optional) return [reference];
  const object = find(id);
  if (object === undefined && !isDevice(id, facts.identity.deviceId)) return [reference];
  const every = object === undefined ? devicePropertyList : propertiesOf(object);
  const optional = (property: number): boolean =>
    object === undefined ? deviceOptional(property) : isOptional(property, object);
  return every
    .filter((property) => which === special.all || optional(property) === (which === special.optional))
    .map((property) => ({ id: property, index: undefined }));
}
