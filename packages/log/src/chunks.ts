import type { BlockStore } from "./block.ts";
import { crc32c } from "./crc32c.ts";

/*
 * How rows of JSON are stored: in chunks, each a JSON array under `<prefix>/<number>`. A record holds the
 * checksums of the chunks. It consists of the CRC-32C (4 bytes, little-endian) of its JSON, then that JSON.
 */

/** The part of a record that describes its chunks. */
export interface Chunks {
  /** CRC-32C of each chunk, in order. */
  readonly chunks: readonly number[];
}

/** A chunk ends after this many characters of JSON. */
const chunkChars = 65_536;

/**
 * Yields the rows as encoded chunks.
 * @throws TypeError when a row is not a JSON value
 */
export function* chunksOf(rows: Iterable<unknown>): Generator<Buffer> {
  let json: string[] = [];
  let chars = 0;
  for (const row of rows) {
    const text: string | undefined = JSON.stringify(row);
    if (text === undefined) throw new TypeError("a row of a snapshot is not a JSON value");
    json.push(text);
    chars += text.length;
    if (chars < chunkChars) continue;
    yield Buffer.from(`[${json.join(",")}]`);
    json = [];
    chars = 0;
  }
  if (json.length > 0) yield Buffer.from(`[${json.join(",")}]`);
}

/** Returns the chunks under a prefix, or undefined when one is missing or fails its checksum. */
export function wholeChunks(
  store: Pick<BlockStore, "readSnapshotPart">,
  prefix: string,
  { chunks }: Chunks,
): readonly Buffer[] | undefined {
  const read: Buffer[] = [];
  for (const [index, checksum] of chunks.entries()) {
    const chunk = store.readSnapshotPart(`${prefix}/${index}`);
    if (chunk === undefined || crc32c(chunk) !== checksum) return undefined;
    read.push(chunk);
  }
  return read;
}

/** Returns the rows of chunks. Parses each chunk when its first row is taken. */
export function rowsOf(chunks: readonly Buffer[]): Iterable<unknown> {
  return {
    *[Symbol.iterator]() {
      for (const chunk of chunks) yield* JSON.parse(chunk.toString("utf8")) as unknown[];
    },
  };
}

export function encodeRecord(record: object): Buffer {
  const json = Buffer.from(JSON.stringify(record));
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32c(json));
  return Buffer.concat([checksum, json]);
}

/** Decodes a record, or returns undefined when it is missing or fails its checksum. */
export function decodeRecord(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || bytes.length < 4) return undefined;
  const json = bytes.subarray(4);
  return crc32c(json) === bytes.readUInt32LE(0) ? JSON.parse(json.toString("utf8")) : undefined;
}
