import { MbusError } from "./error.ts";

/** Returns the three letters of a manufacturer's number: five bits each, 1 is A. */
export function manufacturerCode(number: number): string {
  const letters = [number >> 10, number >> 5, number].map((bits) => 64 + (bits & 0x1f));
  return String.fromCharCode(...letters);
}

/** Returns the number of a manufacturer of three letters. Throws MbusError (`frame`) for other texts. */
export function manufacturerNumber(code: string): number {
  if (!/^[A-Z]{3}$/.test(code))
    throw new MbusError("frame", `${code} is not a manufacturer of three letters`);
  return manufacturerBits(code);
}

/** Returns the number behind any code that `manufacturerCode` returns, also one with other characters than letters. */
export function manufacturerBits(code: string): number {
  const bitsOf = (at: number): number => (code.charCodeAt(at) - 64) & 0x1f;
  return (bitsOf(0) << 10) | (bitsOf(1) << 5) | bitsOf(2);
}
