import type { Capability } from "@ledge/model";
import type { AttributeValues, NodeValue } from "./value.ts";

/** What one value of a command class means to the hub. */
export interface ValueRow {
  readonly commandClass: number;
  /** Absent: any property. */
  readonly property?: string | number;
  /** Absent: any key, or none. */
  readonly propertyKey?: string | number;
  /** The capabilities of a device that has the value. */
  readonly capabilities: (value: NodeValue, device: DeviceKind) => readonly Capability[];
  /** The attributes that a value reports; none for a value that no device can have. */
  readonly attributes: (value: NodeValue, device: DeviceKind) => AttributeValues;
}

/** What an endpoint is, by its device class (SDS10242). */
export type DeviceKind = "cover" | "lamp" | "socket" | "other";

const generic = { multilevelSwitch: 0x11, binarySwitch: 0x10 } as const;
/** Specific classes of a multilevel switch with a motor. */
const motors: ReadonlySet<number> = new Set([0x03, 0x05, 0x06, 0x07]);
/** The specific class of a colour lamp that is a binary switch. */
const colorLamp = 0x02;

/** Returns what an endpoint is by its generic and specific class. */
export function kindOf([first, second]: readonly [generic: number, specific: number]): DeviceKind {
  if (first === generic.multilevelSwitch) return motors.has(second) ? "cover" : "lamp";
  if (first === generic.binarySwitch) return second === colorLamp ? "lamp" : "socket";
  return "other";
}
