import { ByteReader, write } from "./bytes.ts";
import type { Status } from "./status.ts";
import { status } from "./status.ts";
import type { DataType, Typed, Value } from "./types.ts";
import { isAnalog, readTyped, readValue, typeId, typeOf, writeTyped, writeValue } from "./types.ts";

/** The commands that every cluster knows (Zigbee Cluster Library, 2.5). */
export const foundation = {
  read: 0x00,
  readResponse: 0x01,
  write: 0x02,
  writeUndivided: 0x03,
  writeResponse: 0x04,
  writeNoResponse: 0x05,
  configureReporting: 0x06,
  configureReportingResponse: 0x07,
  readReporting: 0x08,
  readReportingResponse: 0x09,
  report: 0x0a,
  defaultResponse: 0x0b,
  discoverAttributes: 0x0c,
  discoverAttributesResponse: 0x0d,
} as const;

/** How an attribute is reported, in seconds. A maximum of 0xffff turns reports off; 0 means no maximum. */
export interface Reporting {
  readonly type: DataType;
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** The smallest change that is reported; null for types without one. */
  readonly change: Value;
}

export interface ReadRecord {
  readonly attribute: number;
  readonly status: Status;
  /** Set when the status is success. */
  readonly typed?: Typed;
}

export interface StatusRecord {
  readonly attribute: number;
  readonly status: Status;
}

/** A request of `configureReporting`. Requests about received reports (direction 1) have no settings. */
export interface ReportingRequest {
  readonly attribute: number;
  readonly isReceived: boolean;
  readonly reporting?: Reporting;
}

export function readIds(payload: Uint8Array): readonly number[] {
  return all(payload, (from) => from.uint16());
}

export function writeIds(ids: readonly number[]): Uint8Array {
  const to = write();
  for (const id of ids) to.uint16(id);
  return to.done();
}

/** Reads the payload of `write` and `report`. */
export function readValues(payload: Uint8Array): readonly (Typed & { attribute: number })[] {
  return all(payload, (from) => ({ attribute: from.uint16(), ...readTyped(from) }));
}

export function writeValues(records: readonly (Typed & { attribute: number })[]): Uint8Array {
  const to = write();
  for (const record of records) writeTyped(to.uint16(record.attribute), record);
  return to.done();
}

export function readReadRecords(payload: Uint8Array): readonly ReadRecord[] {
  return all(payload, (from) => {
    const record = { attribute: from.uint16(), status: from.uint8() as Status };
    return record.status === status.success ? { ...record, typed: readTyped(from) } : record;
  });
}

export function writeReadRecords(records: readonly ReadRecord[]): Uint8Array {
  const to = write();
  for (const record of records) {
    to.uint16(record.attribute).uint8(record.status);
    if (record.typed) writeTyped(to, record.typed);
  }
  return to.done();
}

/** Writes the answer to a write: one octet on complete success, otherwise the failures. */
export function writeWriteRecords(records: readonly StatusRecord[]): Uint8Array {
  const failed = records.filter((record) => record.status !== status.success);
  const to = write();
  if (failed.length === 0) return to.uint8(status.success).done();
  for (const record of failed) to.uint8(record.status).uint16(record.attribute);
  return to.done();
}

export function readReportingRequests(payload: Uint8Array): readonly ReportingRequest[] {
  return all(payload, (from) => {
    const isReceived = from.uint8() !== 0;
    const attribute = from.uint16();
    if (isReceived) {
      from.uint16();
      return { attribute, isReceived };
    }
    return { attribute, isReceived, reporting: readReporting(from) };
  });
}

export function writeReportingRequests(requests: readonly ReportingRequest[]): Uint8Array {
  const to = write();
  for (const { attribute, isReceived, reporting } of requests) {
    to.uint8(Number(isReceived)).uint16(attribute);
    if (reporting) writeReporting(to, reporting);
    else to.uint16(0);
  }
  return to.done();
}

/** Writes the answer to `configureReporting`: one octet on complete success, otherwise the failures. */
export function writeReportingStatuses(records: readonly StatusRecord[]): Uint8Array {
  const failed = records.filter((record) => record.status !== status.success);
  const to = write();
  if (failed.length === 0) return to.uint8(status.success).done();
  for (const record of failed) to.uint8(record.status).uint8(0).uint16(record.attribute);
  return to.done();
}

/** Reads the attributes of a `readReporting` request. */
export function readReportingIds(payload: Uint8Array): readonly { attribute: number; isReceived: boolean }[] {
  return all(payload, (from) => ({ isReceived: from.uint8() !== 0, attribute: from.uint16() }));
}

export function writeReportingRecords(
  records: readonly (StatusRecord & { isReceived: boolean; reporting?: Reporting })[],
): Uint8Array {
  const to = write();
  for (const record of records) {
    to.uint8(record.status).uint8(Number(record.isReceived)).uint16(record.attribute);
    if (record.reporting) writeReporting(to, record.reporting);
  }
  return to.done();
}

export function writeDefaultResponse(command: number, result: Status): Uint8Array {
  return write().uint8(command).uint8(result).done();
}

/** @param isComplete whether this list is the last one. */
export function writeDiscovered(
  isComplete: boolean,
  attributes: readonly { id: number; type: DataType }[],
): Uint8Array {
  const to = write().uint8(Number(isComplete));
  for (const { id, type } of attributes) to.uint16(id).uint8(typeId(type));
  return to.done();
}

function readReporting(from: ByteReader): Reporting {
  const type = typeOf(from.uint8());
  const [minSeconds, maxSeconds] = [from.uint16(), from.uint16()];
  return { type, minSeconds, maxSeconds, change: isAnalog(type) ? readValue(from, type) : null };
}

function writeReporting(to: ReturnType<typeof write>, reporting: Reporting): void {
  const { type, minSeconds, maxSeconds, change } = reporting;
  to.uint8(typeId(type)).uint16(minSeconds).uint16(maxSeconds);
  if (isAnalog(type)) writeValue(to, type, change);
}

function all<T>(payload: Uint8Array, one: (from: ByteReader) => T): readonly T[] {
  const from = new ByteReader(payload);
  const found: T[] = [];
  while (from.remaining > 0) found.push(one(from));
  return found;
}
