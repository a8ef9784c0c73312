// CRC of EN 13757-4: polynomial 3D65h, start 0, result inverted, highest byte first.
const polynomial = 0x3d65;

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 8;
  for (let bit = 0; bit < 8; bit++) value = (value & 0x8000) === 0 ? value << 1 : (value << 1) ^ polynomial;
  return value & 0xffff;
});

/** Returns the CRC of a block. */
export function crcOf(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = ((value << 8) ^ (table[(value >> 8) ^ byte] as number)) & 0xffff;
  return value ^ 0xffff;
}
