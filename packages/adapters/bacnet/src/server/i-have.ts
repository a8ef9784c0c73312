import { deviceType, objectTypes } from "../map/object-type.ts";
import type { ServerObject } from "./object.ts";

/** Returns what an I-Have tells of an object. */
export function namedOf(
  object: ServerObject | undefined,
): { id: readonly number[]; name: string } | undefined {
  return object && { id: [objectTypes[object.type].code, object.instance], name: object.name };
}

/** Returns the APDU of an I-Have, which the library cannot encode. */
export function iHave(
  deviceId: number,
  [type = 0, instance = 0]: readonly number[],
  name: string,
): readonly number[] {
  const id = (of: number, number: number): readonly number[] => {
    const content = Buffer.alloc(4);
    content.writeUInt32BE(of * 0x40_0000 + number);
    return [0xc4, ...content];
  };
  const characters = [0, ...Buffer.from(name)];
  const head = characters.length <= 4 ? [0x70 | characters.length] : [0x75, characters.length];
  return [0x10, 1, ...id(deviceType, deviceId), ...id(type, instance), ...head, ...characters];
}
