import { AdapterError } from "@ledge/port";

/** Bytes of an install code without its CRC (Base Device Behavior 3.1, 10.1). */
const sizes: ReadonlySet<number> = new Set([6, 8, 12, 16]);

/** An install code and the device that it is for. */
export interface InstallCode {
  readonly ieee: string;
  /** With its CRC. */
  readonly code: Uint8Array;
}

const formats: readonly RegExp[] = [
  // Ubisys, Danfoss, Inovelli, Ledvance
  /Z:(?<ieee>[0-9a-f]{16})\$I:(?<code>[0-9a-f]+)/i,
  // Aqara
  /\$A:(?<ieee>[0-9a-f]{16})\$I:(?<code>[0-9a-f]+)/i,
  // Müller-Licht, Innr, frient, and what people type
  /^\|?(?:0x)?(?<ieee>[0-9a-f]{16})[|,;: ]\s*(?<code>[0-9a-f][0-9a-f \-:]*)\|?$/i,
  // Hue
  /^HUE:Z:(?<code>[0-9a-f]+) M:(?<ieee>[0-9a-f]{16})/i,
];

/**
 * Reads an install code as a maker prints it, as text or in a QR code, with the address of its device.
 * @throws AdapterError `settings` for another format, a wrong length or a wrong CRC: with a wrong code the
 * device would fail to join without a reason
 */
export function readInstallCode(text: string): InstallCode {
  const found = formats
    .map((format) => format.exec(text.trim())?.groups)
    .find((groups) => groups !== undefined);
  const { ieee = "", code: digits = "" } = found ?? {};
  if (found === undefined)
    throw new AdapterError("settings", "code: is in no known format: give ADDRESS|CODE, both in hex digits");
  const hex = digits.replaceAll(/[^0-9a-f]/gi, "");
  const code = Buffer.from(hex, "hex");
  if (hex.length % 2 !== 0 || !sizes.has(code.length - 2))
    throw new AdapterError("settings", `code: has ${hex.length} hex digits instead of 16, 20, 28 or 36`);
  if (crc16(code.subarray(0, -2)) !== code.readUInt16LE(code.length - 2))
    throw new AdapterError("settings", "code: its CRC is wrong: a digit was mistyped");
  return { ieee: `0x${ieee.toLowerCase()}`, code };
}

/** CRC-16/X-25 (ITU-T X.25), as Base Device Behavior 10.1.1 requires. */
function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x8408 : crc >>> 1;
  }
  return crc ^ 0xffff;
}
