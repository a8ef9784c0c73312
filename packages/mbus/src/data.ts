// The data of a record as its DIF codes it: integers, BCD, real, texts. Bytes are in the order of the codec: lowest
// first.

/** A value before its VIF gives it a unit. */
export type Raw =
  | { readonly kind: "none" }
  | { readonly kind: "number"; readonly value: number }
  /** BCD with nibbles beyond 9, which is how meters report errors. Digits are from left to right, as on a display. */
  | { readonly kind: "digits"; readonly digits: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

/** Coding of data: the low four bits of a DIF. */
export const codings = { none: 0, real: 5, readout: 8, variable: 0x0d, special: 0x0f } as const;

/** The bytes of the data by the low four bits of the DIF; a variable length is told by the data itself. */
export const lengths: readonly number[] = [0, 1, 2, 3, 4, 4, 6, 8, 0, 1, 2, 3, 4, 0, 6, 0];

/** Returns the value of the data of a fixed length. @param isUnsigned for integers */
export function rawOf(coding: number, bytes: Uint8Array, isUnsigned: boolean): Raw {
  if (coding === codings.none || coding === codings.readout) return { kind: "none" };
  if (coding === codings.real)
    return { kind: "number", value: new DataView(bytes.buffer, bytes.byteOffset, 4).getFloat32(0, true) };
  return coding > codings.readout ? bcdOf(bytes) : { kind: "number", value: integerOf(bytes, isUnsigned) };
}

/** Returns an integer; beyond 2^53 the nearest that a number holds. */
export function integerOf(bytes: Uint8Array, isUnsigned = false): number {
  const length = bytes.length;
  const isNegative = !isUnsigned && length > 0 && ((bytes[length - 1] as number) & 0x80) !== 0;
  let value = 0;
  // Of a negative number the complement is counted, so that small ones of eight bytes keep their last digits.
  for (let i = length - 1; i >= 0; i--)
    value = value * 256 + (isNegative ? 0xff - (bytes[i] as number) : (bytes[i] as number));
  return isNegative ? -value - 1 : value;
}

/** Returns BCD. A leading nibble F is a minus sign; any other nibble beyond 9 makes it digits. */
export function bcdOf(bytes: Uint8Array): Raw {
  const last = bytes.length - 1;
  let value = 0;
  let isNegative = false;
  for (let i = last; i >= 0; i--) {
    const byte = bytes[i] as number;
    let high = byte >> 4;
    const low = byte & 0x0f;
    if (i === last && high === 0x0f) {
      isNegative = true;
      high = 0;
    }
    if (high > 9 || low > 9) return { kind: "digits", digits: digitsOf(bytes) };
    value = value * 100 + high * 10 + low;
  }
  return { kind: "number", value: isNegative && value !== 0 ? -value : value };
}

function digitsOf(bytes: Uint8Array): string {
  return [...bytes]
    .toReversed()
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
}

/**
 * Returns how many bytes follow an LVAR and what they are; undefined if the LVAR is reserved.
 */
export function variableOf(
  lvar: number,
): { readonly length: number; readonly as: "text" | "bcd" | "negativeBcd" | "binary" } | undefined {
  if (lvar <= 0xbf) return { length: lvar, as: "text" };
  if (lvar <= 0xc9) return { length: lvar - 0xc0, as: "bcd" };
  if (lvar >= 0xd0 && lvar <= 0xd9) return { length: lvar - 0xd0, as: "negativeBcd" };
  if (lvar >= 0xe0 && lvar <= 0xef) return { length: lvar - 0xe0, as: "binary" };
  if (lvar >= 0xf0 && lvar <= 0xf4) return { length: 4 * (lvar - 0xec), as: "binary" };
  if (lvar === 0xf5) return { length: 48, as: "binary" };
  if (lvar === 0xf6) return { length: 64, as: "binary" };
  return undefined;
}

/** Returns the value of data of variable length. Binary numbers of up to 8 bytes are unsigned numbers. */
export function variableRaw(as: "text" | "bcd" | "negativeBcd" | "binary", bytes: Uint8Array): Raw {
  if (as === "text") return { kind: "text", text: reversedText(bytes) };
  if (as === "binary")
    return bytes.length <= 8
      ? { kind: "number", value: integerOf(bytes, true) }
      : { kind: "bytes", bytes: bytes.slice() };
  const raw = bcdOf(bytes);
  return raw.kind === "number" && as === "negativeBcd" ? { kind: "number", value: -raw.value } : raw;
}

/** Returns a text (ISO 8859-1) that is sent from its last character to its first. */
export function reversedText(bytes: Uint8Array): string {
  let text = "";
  for (let i = bytes.length - 1; i >= 0; i--) text += String.fromCharCode(bytes[i] as number);
  return text;
}
