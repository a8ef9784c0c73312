/**
 * CRC-32C (Castagnoli), reflected polynomial 0x82f63b78, by slicing over sixteen bytes. RFC 3720, appendix B.4,
 * has the test vectors. The method is from Kounavis and Berry, "A Systematic Approach to Building High
 * Performance, Software-based, CRC generators" (2005).
 */
const tables = slicingTables();

/**
 * Returns the CRC-32C of `bytes` as an unsigned 32-bit number.
 * @param previous the CRC-32C of the preceding bytes, to continue it: crc(a + b) = crc(b, crc(a))
 */
export function crc32c(bytes: Uint8Array, previous = 0): number {
  return crc32cOfSpan(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length, previous);
}

/**
 * Like `crc32c`, for the bytes from `start` up to `end` of a view. For many short spans of one buffer.
 * @throws RangeError when the span is not within the view
 */
export function crc32cOfSpan(view: DataView, start: number, end: number, previous = 0): number {
  return signedCrc32cOfSpan(view, start, end, previous) >>> 0;
}

/** As `crc32cOfSpan`, as a signed number: those need no memory of their own, and a walk compares millions. */
export function signedCrc32cOfSpan(view: DataView, start: number, end: number, previous = 0): number {
  let crc = ~previous;
  let i = start;
  for (const last = end - 16; i <= last; i += 16) {
    const a = crc ^ view.getInt32(i, true);
    const b = view.getInt32(i + 4, true);
    const c = view.getInt32(i + 8, true);
    const d = view.getInt32(i + 12, true);
    crc =
      entry(3840 + (a & 255)) ^
      entry(3584 + ((a >>> 8) & 255)) ^
      entry(3328 + ((a >>> 16) & 255)) ^
      entry(3072 + (a >>> 24)) ^
      entry(2816 + (b & 255)) ^
      entry(2560 + ((b >>> 8) & 255)) ^
      entry(2304 + ((b >>> 16) & 255)) ^
      entry(2048 + (b >>> 24)) ^
      entry(1792 + (c & 255)) ^
      entry(1536 + ((c >>> 8) & 255)) ^
      entry(1280 + ((c >>> 16) & 255)) ^
      entry(1024 + (c >>> 24)) ^
      entry(768 + (d & 255)) ^
      entry(512 + ((d >>> 8) & 255)) ^
      entry(256 + ((d >>> 16) & 255)) ^
      entry(d >>> 24);
  }
  for (const last = end - 4; i <= last; i += 4) {
    const a = crc ^ view.getInt32(i, true);
    crc =
      entry(768 + (a & 255)) ^
      entry(512 + ((a >>> 8) & 255)) ^
      entry(256 + ((a >>> 16) & 255)) ^
      entry(a >>> 24);
  }
  for (; i < end; i++) crc = entry((crc ^ view.getUint8(i)) & 255) ^ (crc >>> 8);
  return ~crc;
}

/** Reads a table entry, 256 for each place. The index is always within the table. */
function entry(index: number): number {
  return tables[index] as number;
}

/** Builds the tables. Entry 256 t + b is the CRC of byte b followed by t zero bytes. */
function slicingTables(): Int32Array {
  const entries = new Int32Array(16 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    entries[byte] = crc;
  }
  for (let i = 256; i < entries.length; i++) {
    const shorter = entries[i - 256] as number;
    entries[i] = (shorter >>> 8) ^ (entries[shorter & 255] as number);
  }
  return entries;
}
