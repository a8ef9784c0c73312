import type { Ieee } from "./air.ts";

/** Reads little-endian values in sequence. Every method throws a RangeError when too few bytes are left. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#step(1));
  }

  i8(): number {
    return this.#bytes.readInt8(this.#step(1));
  }

  u16(): number {
    return this.#bytes.readUInt16LE(this.#step(2));
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#step(4));
  }

  ieee(): Ieee {
    return ieeeOf(this.bytes(8));
  }

  /** Returns a copy of the next `length` bytes. */
  bytes(length: number): Uint8Array {
    const from = this.#step(length);
    return new Uint8Array(this.#bytes.subarray(from, from + length));
  }

  rest(): Uint8Array {
    return this.bytes(this.left);
  }

  #step(length: number): number {
    if (length > this.left) throw new RangeError(`${length} bytes wanted, ${this.left} left`);
    this.#at += length;
    return this.#at - length;
  }
}

/** Returns what `read` returns, or the alternative when a reader in it runs out of bytes. */
export function unlessTooShort<Read, Otherwise>(read: () => Read, otherwise: Otherwise): Read | Otherwise {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
}

/** Writes little-endian values in sequence. */
export class ByteWriter {
  readonly #bytes: number[] = [];

  u8(...values: readonly number[]): this {
    for (const value of values) this.#bytes.push(value & 0xff);
    return this;
  }

  u16(...values: readonly number[]): this {
    for (const value of values) this.u8(value, value >>> 8);
    return this;
  }

  u32(...values: readonly number[]): this {
    for (const value of values) this.u8(value, value >>> 8, value >>> 16, value >>> 24);
    return this;
  }

  ieee(ieee: Ieee): this {
    return this.bytes(ieeeBytes(ieee));
  }

  bytes(bytes: Iterable<number>): this {
    return this.u8(...bytes);
  }

  /** Writes the length of a list in one byte, then the list. */
  list16(values: readonly number[]): this {
    return this.u8(values.length).u16(...values);
  }

  done(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

export function wire(): ByteWriter {
  return new ByteWriter();
}

export function hexOf(content: Uint8Array): string {
  return Buffer.from(content).toString("hex");
}

export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

/** Returns an address in wire format: least significant byte first. */
export function ieeeBytes(ieee: Ieee): Uint8Array {
  return fromHex(ieee.slice(2)).toReversed();
}

export function ieeeOf(onWire: Uint8Array): Ieee {
  return `0x${hexOf(onWire.toReversed())}`;
}
