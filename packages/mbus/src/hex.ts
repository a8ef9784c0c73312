import { MbusError } from "./error.ts";

/** Returns the bytes of a text such as `68 1F 1f68`; white space is ignored. Throws MbusError (`frame`). */
export function fromHex(text: string): Uint8Array {
  const digits = text.replaceAll(/\s+/g, "");
  if (!/^(?:[\da-f]{2})*$/i.test(digits)) throw new MbusError("frame", "the text is not hexadecimal bytes");
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Returns bytes as `68 1F`. @param separator between two bytes */
export function toHex(bytes: Uint8Array, separator = " "): string {
  return [...bytes].map(hexByte).join(separator);
}

/** Returns a byte as two upper-case digits. */
export function hexByte(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}
