import type { PropertyValue } from "./tags.ts";

/** Properties by their numbers (ASHRAE 135, 21). */
export const property = {
  modelName: 70,
  objectIdentifier: 75,
  objectList: 76,
  objectName: 77,
  presentValue: 85,
  priorityArray: 87,
  reliability: 103,
  statusFlags: 111,
  units: 117,
  vendorName: 121,
} as const;

/** Types of objects by their numbers. */
export const objectType = {
  analogInput: 0,
  analogOutput: 1,
  analogValue: 2,
  binaryInput: 3,
  binaryOutput: 4,
  binaryValue: 5,
  device: 8,
  multiStateInput: 13,
  multiStateOutput: 14,
  multiStateValue: 19,
} as const;

/** An object of a simulated device. */
export interface BacnetObject {
  readonly type: number;
  readonly instance: number;
  readonly name: string;
  /** The present value; of an object with a priority array, its relinquish default. */
  value: PropertyValue;
  readonly units?: number;
  /** Commands by priority, 1 to 16; absent: nobody can command the object. */
  readonly priorities?: Map<number, PropertyValue>;
  /** In alarm, fault, overridden, out of service. */
  flags?: readonly [boolean, boolean, boolean, boolean];
}

/** A device and its objects. */
interface ObjectOwner {
  readonly id: number;
  readonly objects: readonly BacnetObject[];
}

/** Why a device refuses a request: an error by class and code (ASHRAE 135, 18). */
export class Refusal extends Error {
  readonly errorClass: number;
  readonly errorCode: number;
  constructor(errorClass: number, errorCode: number) {
    super(`error ${errorClass} ${errorCode}`);
    this.errorClass = errorClass;
    this.errorCode = errorCode;
  }
}
export const unknownObject = (): Refusal => new Refusal(1, 31);
const unknownProperty = (): Refusal => new Refusal(2, 32);

/**
 * Returns the values of a property, or one part of an array; the part 0 is its length.
 * @throws Refusal when the object does not have it
 */
export function valuesOf(
  device: ObjectOwner,
  object: BacnetObject,
  number: number,
  index?: number,
): readonly PropertyValue[] {
  const all = allValues(device, object, number);
  if (index === undefined) return all;
  if (index === 0) return [{ unsigned: all.length }];
  const one = all[index - 1];
  if (one === undefined) throw new Refusal(2, 42);
  return [one];
}

function allValues(
  { id, objects }: ObjectOwner,
  object: BacnetObject,
  number: number,
): readonly PropertyValue[] {
  const isDevice = object.type === objectType.device;
  switch (number) {
    case property.objectName:
      return [{ text: object.name }];
    case property.vendorName:
      if (isDevice) return [{ text: "Simulated" }];
      break;
    case property.modelName:
      if (isDevice) return [{ text: "Controller" }];
      break;
    case property.objectList: {
      if (!isDevice) break;
      const own: PropertyValue = { object: [objectType.device, id] };
      return [own, ...objects.map(({ type, instance }) => ({ object: [type, instance] as const }))];
    }
    case property.presentValue:
      if (!isDevice) return [presentValue(object)];
      break;
    case property.statusFlags:
      if (!isDevice) return [{ bits: object.flags ?? [false, false, false, false] }];
      break;
    case property.units:
      if (object.units !== undefined) return [{ enumerated: object.units }];
      break;
    case property.priorityArray: {
      const { priorities } = object;
      if (priorities !== undefined)
        return Array.from({ length: 16 }, (_, slot) => priorities.get(slot + 1) ?? "null");
    }
  }
  throw unknownProperty();
}

/** The value of the highest priority, or the default. */
function presentValue({ priorities, value }: BacnetObject): PropertyValue {
  const slots = [...(priorities?.entries() ?? [])].toSorted(([one], [other]) => one - other);
  return slots[0]?.[1] ?? value;
}
