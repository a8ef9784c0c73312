import { BleError } from "./error.ts";

/** Reads bytes from the front. Numbers are little-endian unless said otherwise. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** @throws BleError `truncated` */
  take(count: number, what: string): Uint8Array {
    if (count > this.left)
      throw new BleError("truncated", `${what} needs ${count} bytes, ${this.left} are left`);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  byte(what: string): number {
    return this.take(1, what)[0] ?? 0;
  }

  uint(count: number, what: string): number {
    return uintOf(this.take(count, what));
  }
}

/** Returns the unsigned little-endian number of up to 6 bytes. */
export function uintOf(bytes: Uint8Array): number {
  return bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
}

/** Returns the signed little-endian number of up to 6 bytes. */
export function intOf(bytes: Uint8Array): number {
  const number = uintOf(bytes);
  return number < 2 ** (8 * bytes.length - 1) ? number : number - 2 ** (8 * bytes.length);
}

/** Returns a raw number times its factor, without the noise of binary fractions. */
export function scaled(raw: number, factor: number): number {
  return Number((raw * factor).toPrecision(10));
}

/** Reads hexadecimal digits. @throws BleError `format` */
export function fromHex(text: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) throw new BleError("format", "not hexadecimal");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Returns lower-case hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reads an address such as `A4:C1:38:02:83:F4`, with any separator or none; undefined for anything else. */
export function addressOf(text: string): string | undefined {
  const digits = text.replaceAll(/[:-]/g, "").toUpperCase();
  return /^[0-9A-F]{12}$/.test(digits) ? digits : undefined;
}
