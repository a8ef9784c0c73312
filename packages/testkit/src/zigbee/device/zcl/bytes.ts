import type { Ieee } from "../../air.ts";

/** Thrown when the octets end too early. */
export class Truncated extends Error {
  override readonly name = "Truncated";
}

/** Reads a frame from its start. Numbers are little-endian, as everywhere in Zigbee. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** @throws Truncated, like all reading methods. */
  bytes(length: number): Uint8Array {
    if (length > this.remaining) throw new Truncated(`${length} octets wanted, ${this.remaining} are left`);
    this.#at += length;
    return Uint8Array.from(this.#bytes.subarray(this.#at - length, this.#at));
  }

  rest(): Uint8Array {
    return this.bytes(this.remaining);
  }

  /** @param length octets, 1 to 6. */
  uint(length: number): number {
    return Buffer.from(this.bytes(length)).readUIntLE(0, length);
  }

  int(length: number): number {
    return Buffer.from(this.bytes(length)).readIntLE(0, length);
  }

  uint8(): number {
    return this.uint(1);
  }

  uint16(): number {
    return this.uint(2);
  }

  uint32(): number {
    return this.uint(4);
  }

  ieee(): Ieee {
    return `0x${Buffer.from(this.bytes(8).toReversed()).toString("hex")}`;
  }

  /** A character string with its length in one octet. */
  text(): string {
    return Buffer.from(this.bytes(this.uint8())).toString("utf8");
  }
}

/** Builds a frame. */
export class ByteWriter {
  readonly #parts: Uint8Array[] = [];

  done(): Uint8Array {
    return Uint8Array.from(Buffer.concat(this.#parts));
  }

  bytes(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    return this;
  }

  /** @param length octets, 1 to 6. */
  uint(value: number, length: number): this {
    const octets = Buffer.alloc(length);
    octets.writeUIntLE(value, 0, length);
    return this.bytes(octets);
  }

  int(value: number, length: number): this {
    const octets = Buffer.alloc(length);
    octets.writeIntLE(value, 0, length);
    return this.bytes(octets);
  }

  uint8(value: number): this {
    return this.uint(value, 1);
  }

  uint16(value: number): this {
    return this.uint(value, 2);
  }

  uint32(value: number): this {
    return this.uint(value, 4);
  }

  ieee(value: Ieee): this {
    return this.bytes(Uint8Array.from(Buffer.from(value.slice(2), "hex")).toReversed());
  }

  text(value: string): this {
    const octets = Buffer.from(value, "utf8");
    return this.uint8(octets.length).bytes(octets);
  }
}

export function write(): ByteWriter {
  return new ByteWriter();
}
