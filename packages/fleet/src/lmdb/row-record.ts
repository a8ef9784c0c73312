import { crc32 } from "node:zlib";
import { RegisterStoreError } from "../register-store.ts";
import type { Row, RowKey } from "../row.ts";

/*
 * A stored row: CRC-32 of the rest (u32), timestamp (f64), length of the source (u16), source, and the rest of the
 * row as JSON. So neither source nor timestamp needs the JSON to be parsed.
 */
const timestampAt = 4;
const sourceSizeAt = 12;
const sourceAt = 14;

/** @param timestamp replaces that of the row */
export function encodeRow(row: Row, timestamp: number): Buffer {
  const content = row.kind === "device" ? { device: row.device, object: row.object } : { object: row.object };
  const json = JSON.stringify(content);
  const sourceSize = Buffer.byteLength(row.source);
  const bytes = Buffer.allocUnsafe(sourceAt + sourceSize + Buffer.byteLength(json));
  bytes.writeDoubleBE(timestamp, timestampAt);
  bytes.writeUInt16BE(sourceSize, sourceSizeAt);
  bytes.write(row.source, sourceAt);
  bytes.write(json, sourceAt + sourceSize);
  bytes.writeUInt32BE(crc32(bytes.subarray(timestampAt)), 0);
  return bytes;
}

/** Returns the source and timestamp of a stored row, whose checksum may be wrong. */
export function headOf(bytes: Buffer): { readonly source: string; readonly timestamp: number } {
  if (bytes.length < sourceAt) throw damaged();
  return {
    source: bytes.toString("utf8", sourceAt, sourceAt + bytes.readUInt16BE(sourceSizeAt)),
    timestamp: bytes.readDoubleBE(timestampAt),
  };
}

/** @throws RegisterStoreError `damaged` */
export function decodeRow({ register, kind, id }: RowKey, bytes: Buffer): Row {
  const isWhole = bytes.length >= sourceAt && crc32(bytes.subarray(timestampAt)) === bytes.readUInt32BE(0);
  if (!isWhole) throw damaged();
  const content = JSON.parse(bytes.toString("utf8", sourceAt + bytes.readUInt16BE(sourceSizeAt))) as Pick<
    Row,
    "object"
  >;
  return { register, kind, id, ...headOf(bytes), ...content } as Row;
}

function damaged(): RegisterStoreError {
  return new RegisterStoreError("damaged", "a stored row is damaged");
}
