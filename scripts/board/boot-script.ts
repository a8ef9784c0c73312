import { crc32 } from "node:zlib";

const magic = 0x27_05_19_56;
/** Linux, 64-bit ARM, a script, not compressed. */
const kind = [5, 22, 6, 0] as const;

/**
 * Returns a script as U-Boot's command `source` takes it: a legacy image of one part
 * (https://docs.u-boot.org/en/latest/usage/cmd/source.html; the header is that of include/image.h).
 */
export function bootScript(text: string): Buffer {
  const script = Buffer.from(text);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(script.length);
  const data = Buffer.concat([lengths, script]);
  const header = Buffer.alloc(64);
  header.writeUInt32BE(magic);
  header.writeUInt32BE(data.length, 12);
  header.writeUInt32BE(crc32(data), 24);
  header.set(kind, 28);
  header.write("Ledge", 32, "latin1");
  // The sum of the header is that of one without a sum.
  header.writeUInt32BE(crc32(header), 4);
  return Buffer.concat([header, data]);
}
