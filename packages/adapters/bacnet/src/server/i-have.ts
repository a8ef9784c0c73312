import { deviceType } from "../map/object-type.ts";
import type { ObjectId } from "../network/value.ts";

/** Returns the APDU of an I-Have, which the library cannot encode. */
export function iHave(deviceId: number, object: ObjectId, name: string): readonly number[] {
  const id = ({ type, instance }: ObjectId): readonly number[] => {
    const content = Buffer.alloc(4);
    content.writeUInt32BE(type * 0x40_0000 + instance);
    return [0xc4, ...content];
  };
  const characters = [0, ...Buffer.from(name)];
  const head = characters.length <= 4 ? [0x70 | characters.length] : [0x75, characters.length];
  return [0x10, 1, ...id({ type: deviceType, instance: deviceId }), ...id(object), ...head, ...characters];
}
