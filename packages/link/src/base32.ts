const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Encodes bytes in base32 (RFC 4648) without padding, for people to read out and type. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31];
}

/** Decodes base32 in either case, with spaces and dashes between groups; undefined for anything else. */
export function fromBase32(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const letter of text.replaceAll(/[\s-]/g, "").toUpperCase()) {
    const value = alphabet.indexOf(letter);
    if (value === -1) return undefined;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  return Uint8Array.from(bytes);
}
