import { extraAttribute, limits, twinOf } from "@ledge/model";
import type { DeviceDescription } from "@ledge/port";
import type { Value } from "../network/value.ts";
import { holdConfiguration } from "./hold.ts";
import type { Mapping } from "./map.ts";
import { isPlausible, mappingOf, quantityOf } from "./map.ts";
import type { ObjectType } from "./object-type.ts";
import { objectTypes } from "./object-type.ts";
import { symbolOf } from "./units.ts";

/** A paired object, as it is stored. */
export interface StoredPoint {
  readonly native: string;
  readonly deviceId: number;
  /** The address of a device whose number others have, too; otherwise the device is looked for. */
  readonly address: string | null;
  /** Where the device was when it was paired or heard last. */
  readonly lastAddress: string | null;
  readonly type: ObjectType;
  readonly instance: number;
  readonly capability: string;
  readonly unit: number;
  /** Of a multi-state object; 0 when it does not tell. */
  readonly states: number;
  /** Whether it takes commands by priority, 1 to 16. */
  readonly commandable: boolean;
  readonly name: string;
  readonly vendor: string | null;
  readonly model: string | null;
  /** The priority of the hub's commands. */
  readonly priority: number;
}

/** The extra that holds the value of an object that is no known kind of device. */
export const valueExtra = "value";

/** A paired object and how its value becomes an attribute of its device. */
export interface Point {
  readonly stored: StoredPoint;
  readonly mapping: Mapping;
  readonly attribute: string;
  readonly description: DeviceDescription;
}

/** Returns a stored object as a point; undefined when it no longer fits what this version knows. */
export function pointOf(stored: StoredPoint): Point | undefined {
  const mapping = mappingOf(stored, stored.capability);
  if (mapping === undefined) return undefined;
  const { deviceId, name, vendor, model, native } = stored;
  const extra = mapping.attribute === undefined;
  const isHeld = isCommandable(stored, mapping);
  return {
    stored,
    mapping,
    attribute: mapping.attribute ?? extraAttribute(valueExtra),
    description: {
      native,
      radio: `device ${deviceId}`,
      class: mapping.class,
      capabilities: isHeld ? [...mapping.capabilities, "CONFIGURABLE"] : mapping.capabilities,
      name: name.slice(0, limits.nameChars),
      manufacturer: vendor,
      model,
      ...(extra && { stateExtras: [extraDescription(stored, mapping.writable)] }),
      ...(isHeld && { configuration: holdConfiguration(stored.priority) }),
    },
  };
}

/** Returns whether the hub commands an object by priority, and so can let it go. */
export function isCommandable({ commandable }: StoredPoint, { writable }: Mapping): boolean {
  return commandable && writable;
}

function extraDescription(
  { type, unit, states }: StoredPoint,
  writable: boolean,
): NonNullable<DeviceDescription["stateExtras"]>[number] {
  const { kind } = objectTypes[type];
  if (kind === "binary") return { name: valueExtra, fieldType: "BOOL", unit: null, writable };
  const range = kind === "multiState" ? { minValue: 1, ...(states > 0 && { maxValue: states }) } : {};
  return { name: valueExtra, fieldType: "NUMBER", unit: symbolOf(unit), writable, ...range };
}

/** Returns the attribute's value; undefined when the object's value is none, such as a NaN. */
export function decode(point: Point, values: readonly Value[] | undefined): boolean | number | undefined {
  const { stored, mapping } = point;
  const [value] = values ?? [];
  if (value === undefined || !("value" in value) || typeof value.value !== "number") return undefined;
  if (objectTypes[stored.type].kind === "binary") {
    if (value.value !== 0 && value.value !== 1) return undefined;
    return value.value === 1;
  }
  const { factor, offset } = mapping.conversion;
  const number = value.value * factor + offset;
  if (!Number.isFinite(number)) return undefined;
  // A REAL has 24 bits; what a conversion adds beyond them is noise.
  const rounded = Number(number.toPrecision(7));
  const { attribute } = mapping;
  if (attribute === undefined) return rounded;
  return isPlausible(attribute, quantityOf(stored.capability), rounded) ? rounded : undefined;
}

/**
 * Returns what to write for the attributes of a command; undefined when none of them is this object's.
 * @throws RangeError when a value does not fit.
 */
export function encode(point: Point, attributes: Readonly<Record<string, unknown>>): Value | undefined {
  const wanted = wantedBy(point, attributes);
  if (wanted === undefined) return undefined;
  const { stored, mapping } = point;
  const { kind } = objectTypes[stored.type];
  if (kind === "binary") {
    if (typeof wanted !== "boolean") throw new RangeError("must be true or false");
    return { tag: "enumerated", value: wanted ? 1 : 0 };
  }
  if (typeof wanted !== "number" || !Number.isFinite(wanted)) throw new RangeError("must be a number");
  if (kind === "multiState") {
    const most = stored.states > 0 ? stored.states : 0xffff_ffff;
    if (!Number.isInteger(wanted) || wanted < 1 || wanted > most)
      throw new RangeError(`must be a state from 1 to ${most}`);
    return { tag: "unsigned", value: wanted };
  }
  const { factor, offset } = mapping.conversion;
  const value = (wanted - offset) / factor;
  if (Math.abs(value) > 3.4e38) throw new RangeError("is too large");
  return { tag: "real", value };
}

function wantedBy({ attribute }: Point, attributes: Readonly<Record<string, unknown>>): unknown {
  if (Object.hasOwn(attributes, attribute)) return attributes[attribute];
  const twin = twinOf(attribute);
  if (twin === undefined || !Object.hasOwn(attributes, twin.name)) return undefined;
  const other = attributes[twin.name];
  return typeof other === "number" ? (twinOf(twin.name)?.convert(other) ?? other) : other;
}
