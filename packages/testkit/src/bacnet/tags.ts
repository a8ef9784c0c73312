/** A BACnet tag (ASHRAE 135, 20.2.1) with its content. */
export interface Tag {
  readonly number: number;
  readonly kind: "application" | "context" | "opening" | "closing";
  /** The length of a primitive's content; for an application BOOLEAN its value. */
  readonly length: number;
  readonly content: Buffer;
  /** The offset behind the tag and its content. */
  readonly next: number;
}

/** Reads one tag. @throws RangeError when it does not fit. */
export function readTag(buffer: Buffer, offset: number): Tag {
  const first = buffer.readUInt8(offset);
  let next = offset + 1;
  const number = first >> 4 === 15 ? buffer.readUInt8(next++) : first >> 4;
  const isContext = (first & 8) !== 0;
  const low = first & 7;
  const none = { number, length: 0, content: Buffer.alloc(0), next };
  if (isContext && low === 6) return { ...none, kind: "opening" };
  if (isContext && low === 7) return { ...none, kind: "closing" };
  let length = low;
  if (low === 5) {
    length = buffer.readUInt8(next++);
    if (length === 254) {
      length = buffer.readUInt16BE(next);
      next += 2;
    } else if (length === 255) {
      length = buffer.readUInt32BE(next);
      next += 4;
    }
  }
  const kind = isContext ? "context" : "application";
  if (kind === "application" && number === 1) return { ...none, kind, length, next };
  if (next + length > buffer.length) throw new RangeError("a tag is longer than its frame");
  return { number, kind, length, content: buffer.subarray(next, next + length), next: next + length };
}

/** Returns the number in the content of a tag, unsigned. */
export function unsignedIn(content: Buffer): number {
  return [...content].reduce((sum, byte) => sum * 256 + byte, 0);
}

function head(number: number, isContext: boolean, length: number): Buffer {
  const first = (number << 4) | (isContext ? 8 : 0);
  if (length <= 4) return Buffer.from([first | length]);
  if (length <= 253) return Buffer.from([first | 5, length]);
  return Buffer.from([first | 5, 254, length >> 8, length & 255]);
}

/** Returns a context tag with its content. */
export function context(number: number, content: Buffer): Buffer {
  return Buffer.concat([head(number, true, content.length), content]);
}

function application(number: number, content: Buffer): Buffer {
  return Buffer.concat([head(number, false, content.length), content]);
}

export const opening = (number: number): Buffer => Buffer.from([(number << 4) | 14]);
export const closing = (number: number): Buffer => Buffer.from([(number << 4) | 15]);

/** Returns the shortest unsigned content. */
export function unsignedContent(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256))
    bytes.unshift(rest % 256);
  return Buffer.from(bytes);
}

/** Returns the content of an object identifier. */
export function objectContent(type: number, instance: number): Buffer {
  const content = Buffer.alloc(4);
  content.writeUInt32BE(type * 0x40_0000 + instance);
  return content;
}

/** The values of properties that the simulated devices have. */
export type PropertyValue =
  | { readonly real: number }
  | { readonly unsigned: number }
  | { readonly enumerated: number }
  | { readonly text: string }
  | { readonly object: readonly [type: number, instance: number] }
  | { readonly bits: readonly boolean[] }
  | { readonly raw: Buffer }
  | "null";

/** Returns a value as an application tag. */
export function encodeValue(value: PropertyValue): Buffer {
  if (value === "null") return Buffer.from([0]);
  if ("raw" in value) return value.raw;
  if ("unsigned" in value) return application(2, unsignedContent(value.unsigned));
  if ("enumerated" in value) return application(9, unsignedContent(value.enumerated));
  if ("text" in value) return application(7, Buffer.concat([Buffer.from([0]), Buffer.from(value.text)]));
  if ("object" in value) return application(12, objectContent(...value.object));
  if ("real" in value) {
    const content = Buffer.alloc(4);
    content.writeFloatBE(value.real);
    return application(4, content);
  }
  const { bits } = value;
  const content = Buffer.alloc(1 + Math.ceil(bits.length / 8));
  content[0] = (8 - (bits.length % 8)) % 8;
  for (const [index, bit] of bits.entries())
    if (bit) content[1 + (index >> 3)] = (content[1 + (index >> 3)] ?? 0) | (0x80 >> (index & 7));
  return application(8, content);
}

/** Returns the value of an application tag, as far as the simulated devices take it. */
export function decodeValue(tag: Tag): PropertyValue | undefined {
  if (tag.kind !== "application") return undefined;
  if (tag.number === 0) return "null";
  if (tag.number === 2) return { unsigned: unsignedIn(tag.content) };
  if (tag.number === 4 && tag.length === 4) return { real: tag.content.readFloatBE() };
  return tag.number === 9 ? { enumerated: unsignedIn(tag.content) } : undefined;
}
