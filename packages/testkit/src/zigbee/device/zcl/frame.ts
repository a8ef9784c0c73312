import type { ByteReader } from "./bytes.ts";
import { ByteReader as Reader, write } from "./bytes.ts";

/** The header of a ZCL frame (Zigbee Cluster Library, 2.4.1). */
export interface Header {
  /** Of the cluster, or foundation: the same for every cluster. */
  readonly isClusterSpecific: boolean;
  /** Of the maker whose own cluster, attribute or command is meant. */
  readonly manufacturer: number | null;
  readonly isFromServer: boolean;
  /** No default response is wanted unless something is wrong. */
  readonly disablesDefaultResponse: boolean;
  /** Of a request, and of the answers to it. */
  readonly transaction: number;
  readonly command: number;
}

const bit = { manufacturer: 0x04, fromServer: 0x08, noDefaultResponse: 0x10 } as const;

/**
 * The header at the front; what is left to read is the payload.
 * @returns undefined if the frame is of neither kind.
 * @throws Truncated
 */
export function readHeader(from: ByteReader): Header | undefined {
  const control = from.uint8();
  if ((control & 0x03) > 1) return undefined;
  return {
    isClusterSpecific: (control & 0x03) === 1,
    isFromServer: (control & bit.fromServer) !== 0,
    disablesDefaultResponse: (control & bit.noDefaultResponse) !== 0,
    manufacturer: (control & bit.manufacturer) === 0 ? null : from.uint16(),
    transaction: from.uint8(),
    command: from.uint8(),
  };
}

export function writeFrame(header: Header, payload: Uint8Array): Uint8Array {
  const control =
    (header.isClusterSpecific ? 1 : 0) |
    (header.manufacturer === null ? 0 : bit.manufacturer) |
    (header.isFromServer ? bit.fromServer : 0) |
    (header.disablesDefaultResponse ? bit.noDefaultResponse : 0);
  const to = write().uint8(control);
  if (header.manufacturer !== null) to.uint16(header.manufacturer);
  return to.uint8(header.transaction).uint8(header.command).bytes(payload).done();
}

/** A whole frame. @throws Truncated */
export function readFrame(bytes: Uint8Array): { header: Header; payload: Uint8Array } | undefined {
  const from = new Reader(bytes);
  const header = readHeader(from);
  return header && { header, payload: from.rest() };
}
