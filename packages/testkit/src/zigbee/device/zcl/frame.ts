import type { ByteReader } from "./bytes.ts";
import { ByteReader as Reader, write } from "./bytes.ts";

/** The header of a ZCL frame (Zigbee Cluster Library, 2.4.1). */
export interface Header {
  /** False for a foundation command, which is the same for every cluster. */
  readonly isClusterSpecific: boolean;
  /** The manufacturer code of a manufacturer-specific cluster, attribute or command. */
  readonly manufacturer: number | null;
  readonly isFromServer: boolean;
  /** Whether a default response is wanted only on an error. */
  readonly disablesDefaultResponse: boolean;
  /** The number shared by a request and its answers. */
  readonly transaction: number;
  readonly command: number;
}

const bit = { manufacturer: 0x04, fromServer: 0x08, noDefaultResponse: 0x10 } as const;

/**
 * Reads the header; the rest is the payload.
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

/**
 * Reads a whole frame.
 * @throws Truncated
 */
export function readFrame(bytes: Uint8Array): { header: Header; payload: Uint8Array } | undefined {
  const from = new Reader(bytes);
  const header = readHeader(from);
  return header && { header, payload: from.rest() };
}
