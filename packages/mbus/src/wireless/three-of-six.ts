import { MbusError } from "../error.ts";

/** The code word of each nibble, three bits of six. */
const words = [
  0x16, 0x0d, 0x0e, 0x0b, 0x1c, 0x19, 0x1a, 0x13, 0x2c, 0x25, 0x26, 0x23, 0x34, 0x31, 0x32, 0x29,
] as const;
const nibbles = new Map<number, number>(words.map((word, nibble) => [word, nibble]));

/**
 * Returns the bytes of a transmission in mode T as a receiver hears it, 12 bits for each byte, first bit highest. Bits at
 * the end that make no byte are ignored.
 * @throws MbusError `frame` at a word that is none
 */
export function fromThreeOfSix(chips: Uint8Array): Uint8Array {
  const count = Math.floor((chips.length * 8) / 12);
  const bytes = new Uint8Array(count);
  for (let i = 0; i < count; i++) bytes[i] = (nibbleAt(chips, 2 * i) << 4) | nibbleAt(chips, 2 * i + 1);
  return bytes;
}

/** Returns the transmission of bytes in mode T; four bits of 0 fill the last byte up. */
export function toThreeOfSix(bytes: Uint8Array): Uint8Array {
  const chips = new Uint8Array(Math.ceil((bytes.length * 12) / 8));
  const nibbleCount = bytes.length * 2;
  for (let i = 0; i < nibbleCount; i++) {
    const byte = bytes[i >> 1] as number;
    const word = words[i % 2 === 0 ? byte >> 4 : byte & 0x0f] as number;
    for (let bit = 0; bit < 6; bit++) {
      const at = i * 6 + bit;
      if ((word >> (5 - bit)) & 1) chips[at >> 3] = (chips[at >> 3] as number) | (0x80 >> (at & 7));
    }
  }
  return chips;
}

function nibbleAt(chips: Uint8Array, index: number): number {
  const at = index * 6;
  const pair = ((chips[at >> 3] as number) << 8) | (chips[(at >> 3) + 1] ?? 0);
  const word = (pair >> (10 - (at & 7))) & 0x3f;
  const nibble = nibbles.get(word);
  if (nibble === undefined) throw new MbusError("frame", `nibble ${index} is no word of the code 3 out of 6`);
  return nibble;
}
