import { ByteReader, Truncated, write } from "../zcl/bytes.ts";

const magic = 0x0bee_f11e;
const headerLength = 56;
const upgradeTag = 0x0000;

/** The firmware of a device, and the type that it accepts. */
export interface Firmware {
  readonly manufacturerCode: number;
  readonly imageType: number;
  readonly version: number;
}

/** Builds a firmware file (Zigbee Cluster Library, 11.4): a header, and one element with the firmware itself. */
export function otaImage(firmware: Firmware, body: Uint8Array): Uint8Array {
  const { manufacturerCode, imageType, version } = firmware;
  const to = write().uint32(magic).uint16(0x0100).uint16(headerLength).uint16(0);
  to.uint16(manufacturerCode).uint16(imageType).uint32(version).uint16(2);
  to.bytes(Buffer.alloc(32, 0).fill("simulated", 0, 9));
  to.uint32(headerLength + 6 + body.length);
  return to.uint16(upgradeTag).uint32(body.length).bytes(body).done();
}

/**
 * Checks a firmware file for a device.
 * @returns what is wrong with it, or undefined.
 */
export function imageProblem(image: Uint8Array, wanted: Firmware): string | undefined {
  try {
    const from = new ByteReader(image);
    if (from.uint32() !== magic) return "it is not a firmware file";
    from.bytes(6);
    const found = { manufacturerCode: from.uint16(), imageType: from.uint16(), version: from.uint32() };
    if (found.manufacturerCode !== wanted.manufacturerCode) return "it is from another maker";
    if (found.imageType !== wanted.imageType) return "it is of another type";
    if (found.version !== wanted.version) return "it is of another version";
    from.bytes(34);
    if (from.uint32() !== image.length) return "its length is wrong";
    from.bytes(2);
    return from.uint32() === from.remaining ? undefined : "the length of its element is wrong";
  } catch (error) {
    if (error instanceof Truncated) return "it is truncated";
    throw error;
  }
}
