import { crc32 } from "node:zlib";
import { RegisterStoreError } from "./register-store.ts";
import type { DeviceRow, Row, RowKey } from "./row.ts";

/*
 * A stored row: CRC-32 of the rest (u32), timestamp (f64), when its register first had it (f64, 0 for an alarm), length
 * of the source (u16), source, and the rest of the row as JSON. So a row that replaces another one needs none of its
 * JSON.
 */
const timestampAt = 4;
const createdAtAt = 12;
const sourceSizeAt = 20;
const sourceAt = 22;

export function encodeRow(row: Row): Buffer {
  const { createdAt = 0, ...device } = row.kind === "device" ? row.device : {};
  const content = row.kind === "device" ? { device, object: row.object } : { object: row.object };
  const json = JSON.stringify(content);
  const sourceSize = Buffer.byteLength(row.source);
  const bytes = Buffer.allocUnsafe(sourceAt + sourceSize + Buffer.byteLength(json));
  bytes.writeDoubleBE(row.timestamp, timestampAt);
  bytes.writeDoubleBE(createdAt, createdAtAt);
  bytes.writeUInt16BE(sourceSize, sourceSizeAt);
  bytes.write(row.source, sourceAt);
  bytes.write(json, sourceAt + sourceSize);
  return sealed(bytes);
}

/** Makes an encoded row one that follows a stored row: its timestamp does not go back, and its creation stays. */
export function succeed(bytes: Buffer, stored: Buffer): void {
  const timestamp = Math.max(bytes.readDoubleBE(timestampAt), stored.readDoubleBE(timestampAt));
  bytes.writeDoubleBE(timestamp, timestampAt);
  stored.copy(bytes, createdAtAt, createdAtAt, sourceSizeAt);
  sealed(bytes);
}

function sealed(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(crc32(bytes.subarray(timestampAt)), 0);
  return bytes;
}

/** Returns the source of a stored row, whose checksum may be wrong. */
export function sourceOf(bytes: Buffer): string {
  if (bytes.length < sourceAt) throw damaged();
  return bytes.toString("utf8", sourceAt, sourceAt + bytes.readUInt16BE(sourceSizeAt));
}

/** @throws RegisterStoreError `damaged` */
export function decodeRow({ register, kind, id }: RowKey, bytes: Buffer): Row {
  const isWhole = bytes.length >= sourceAt && crc32(bytes.subarray(timestampAt)) === bytes.readUInt32BE(0);
  if (!isWhole) throw damaged();
  const json = bytes.toString("utf8", sourceAt + bytes.readUInt16BE(sourceSizeAt));
  const { device, object } = JSON.parse(json) as Pick<DeviceRow, "device" | "object">;
  const timestamp = bytes.readDoubleBE(timestampAt);
  const row = { register, kind, id, source: sourceOf(bytes), timestamp, object };
  if (kind !== "device") return row as Row;
  return { ...row, device: { ...device, createdAt: bytes.readDoubleBE(createdAtAt) } } as Row;
}

function damaged(): RegisterStoreError {
  return new RegisterStoreError("damaged", "a stored row is damaged");
}
