import type { Attribute, Cluster, Command } from "./cluster.ts";
import type { Reporter } from "./reporter.ts";
import { ByteReader } from "./zcl/bytes.ts";
import type { ReadRecord, ReportingRequest, StatusRecord } from "./zcl/foundation.ts";
import * as zcl from "./zcl/foundation.ts";
import type { Status } from "./zcl/status.ts";
import { status } from "./zcl/status.ts";
import type { Typed } from "./zcl/types.ts";

/** An answer by a foundation command, a status for the default response, or no answer (null). */
type Answer = { readonly command: number; readonly payload: Uint8Array } | Status | null;

/**
 * Carries out a foundation command for a cluster.
 * @throws Truncated or UnknownType when the frame is malformed.
 */
export function general(
  cluster: Cluster,
  reporter: Reporter,
  { header, peerEndpoint }: Command,
  payload: Uint8Array,
): Answer {
  const maker = header.manufacturer;
  const find = (id: number): Attribute | undefined => cluster.attribute(id, maker);
  switch (header.command) {
    case zcl.foundation.read:
      return { command: zcl.foundation.readResponse, payload: zcl.writeReadRecords(read(find, payload)) };
    case zcl.foundation.write:
    case zcl.foundation.writeUndivided:
    case zcl.foundation.writeNoResponse:
      return writeAll(cluster, find, header.command, payload, peerEndpoint);
    case zcl.foundation.configureReporting: {
      const requests = zcl.readReportingRequests(payload);
      const records = requests.map((request) => configure(find, reporter, request));
      return {
        command: zcl.foundation.configureReportingResponse,
        payload: zcl.writeReportingStatuses(records),
      };
    }
    case zcl.foundation.readReporting:
      return {
        command: zcl.foundation.readReportingResponse,
        payload: zcl.writeReportingRecords(readReporting(find, reporter, payload)),
      };
    case zcl.foundation.discoverAttributes:
      return {
        command: zcl.foundation.discoverAttributesResponse,
        payload: discover(cluster, maker, payload),
      };
    case zcl.foundation.report:
      return status.success;
    case zcl.foundation.readResponse:
      cluster.learned(zcl.readReadRecords(payload));
      return null;
    case zcl.foundation.writeResponse:
    case zcl.foundation.configureReportingResponse:
    case zcl.foundation.readReportingResponse:
    case zcl.foundation.discoverAttributesResponse:
    case zcl.foundation.defaultResponse:
      return null;
    default:
      return maker === null ? status.unsupportedGeneralCommand : status.unsupportedManufacturerGeneralCommand;
  }
}

type Find = (id: number) => Attribute | undefined;

function read(find: Find, payload: Uint8Array): readonly ReadRecord[] {
  return zcl.readIds(payload).map((id) => {
    const attribute = find(id);
    if (!attribute) return { attribute: id, status: status.unsupportedAttribute };
    if (attribute.readStatus !== undefined) return { attribute: id, status: attribute.readStatus };
    const { type, value } = attribute;
    return { attribute: id, status: status.success, typed: { type, value } };
  });
}

function writeAll(
  cluster: Cluster,
  find: Find,
  command: number,
  payload: Uint8Array,
  peerEndpoint: number,
): Answer {
  const wanted = zcl.readValues(payload).map((record) => {
    const attribute = find(record.attribute);
    return { record, attribute, status: writeStatus(attribute, record) };
  });
  const allowed = wanted.filter((one) => one.status === status.success);
  const isHeld = command === zcl.foundation.writeUndivided && allowed.length < wanted.length;
  for (const { attribute, record } of isHeld ? [] : allowed) {
    if (attribute) cluster.write(attribute, record.value, peerEndpoint);
  }
  if (command === zcl.foundation.writeNoResponse) return null;
  const records: StatusRecord[] = wanted.map((one) => ({
    attribute: one.record.attribute,
    status: one.status,
  }));
  return { command: zcl.foundation.writeResponse, payload: zcl.writeWriteRecords(records) };
}

function writeStatus(attribute: Attribute | undefined, { type, value }: Typed): Status {
  if (!attribute) return status.unsupportedAttribute;
  if (attribute.isWritable !== true) return status.readOnly;
  if (attribute.type !== type) return status.invalidDataType;
  return attribute.check?.(value) ?? status.success;
}

function configure(find: Find, reporter: Reporter, request: ReportingRequest): StatusRecord {
  const { attribute: id, reporting } = request;
  const attribute = find(id);
  const answer = (result: Status): StatusRecord => ({ attribute: id, status: result });
  if (!reporting) return answer(status.success);
  if (!attribute) return answer(status.unsupportedAttribute);
  if (attribute.isReportable !== true) return answer(status.unreportableAttribute);
  if (attribute.type !== reporting.type) return answer(status.invalidDataType);
  const { minSeconds, maxSeconds } = reporting;
  if (maxSeconds !== 0 && minSeconds > maxSeconds) return answer(status.invalidValue);
  reporter.configure(attribute, reporting);
  return answer(status.success);
}

function readReporting(
  find: Find,
  reporter: Reporter,
  payload: Uint8Array,
): Parameters<typeof zcl.writeReportingRecords>[0] {
  return zcl.readReportingIds(payload).map((asked) => {
    const attribute = find(asked.attribute);
    if (!attribute) return { ...asked, status: status.unsupportedAttribute };
    const reporting = reporter.of(attribute);
    return reporting
      ? { ...asked, status: status.success, reporting }
      : { ...asked, status: status.notFound };
  });
}

function discover(cluster: Cluster, maker: number | null, payload: Uint8Array): Uint8Array {
  const from = new ByteReader(payload);
  const [first, most] = [from.uint16(), from.uint8()];
  const known = cluster.attributes.filter((one) => one.manufacturer === maker && one.id >= first);
  return zcl.writeDiscovered(known.length <= most, known.slice(0, most));
}
