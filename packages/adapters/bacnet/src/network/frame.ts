import { apduOctets } from "./apdu.ts";

/** Functions of BACnet/IP frames (ASHRAE 135, J.2). */
export const bvlc = {
  result: 0x00,
  forwarded: 0x04,
  registerForeign: 0x05,
  distribute: 0x09,
  unicast: 0x0a,
  broadcast: 0x0b,
} as const;

const bacnetIp = 0x81;
const protocolVersion = 1;
/** Bits of the control octet of an NPDU (6.2.2). */
const control = { networkMessage: 0x80, destination: 0x20, source: 0x08, expectsReply: 0x04 } as const;
const globalNetwork = 0xffff;

/** The place of a device on another network, behind a router. */
export interface Remote {
  readonly net: number;
  readonly mac: readonly number[];
}

/** A BACnet/IP frame, split into its layers. */
export interface Frame {
  readonly function: number;
  /** The address from which a BBMD has forwarded the frame, `host:port`. */
  readonly origin?: string;
  /** Where the sender is, when that is behind a router. */
  readonly source?: Remote;
  readonly expectsReply: boolean;
  /** The payload; empty for frames without an NPDU. */
  readonly apdu: Buffer;
  /** The offset of the NPDU. */
  readonly npdu: number;
}

/** Splits a frame; undefined for a frame that is malformed, too long or for another network. Never throws. */
export function readFrame(frame: Buffer): Frame | undefined {
  if (frame.length < 4 || frame[0] !== bacnetIp || frame.readUInt16BE(2) !== frame.length) return undefined;
  const type = frame[1] as number;
  if (type === bvlc.unicast || type === bvlc.broadcast || type === bvlc.distribute)
    return readNpdu(frame, 4, { function: type });
  if (type !== bvlc.forwarded)
    return { function: type, expectsReply: false, apdu: frame.subarray(4), npdu: frame.length };
  if (frame.length < 10) return undefined;
  const port = frame.readUInt16BE(8);
  // Nobody can be answered at port 0.
  if (port === 0) return undefined;
  return readNpdu(frame, 10, { function: type, origin: `${frame.subarray(4, 8).join(".")}:${port}` });
}

function readNpdu(frame: Buffer, npdu: number, head: Pick<Frame, "function" | "origin">): Frame | undefined {
  if (frame.length < npdu + 2 || frame[npdu] !== protocolVersion) return undefined;
  const bits = frame[npdu + 1] as number;
  let offset = npdu + 2;
  let source: Remote | undefined;
  if ((bits & control.destination) !== 0) {
    const to = remoteAt(frame, offset);
    if (to === undefined || to.remote.net !== globalNetwork) return undefined;
    offset = to.next;
  }
  if ((bits & control.source) !== 0) {
    const from = remoteAt(frame, offset);
    if (from === undefined || from.remote.mac.length === 0) return undefined;
    offset = from.next;
    source = from.remote;
  }
  // The hop count.
  if ((bits & control.destination) !== 0) offset += 1;
  if ((bits & control.networkMessage) !== 0 || offset >= frame.length) return undefined;
  if (frame.length - offset > apduOctets) return undefined;
  const expectsReply = (bits & control.expectsReply) !== 0;
  return { ...head, ...(source && { source }), expectsReply, apdu: frame.subarray(offset), npdu };
}

function remoteAt(frame: Buffer, offset: number): { remote: Remote; next: number } | undefined {
  if (offset + 3 > frame.length) return undefined;
  const length = frame[offset + 2] as number;
  const next = offset + 3 + length;
  if (next > frame.length) return undefined;
  return { remote: { net: frame.readUInt16BE(offset), mac: [...frame.subarray(offset + 3, next)] }, next };
}

/** Returns an NPDU with an APDU as a frame from the local network. */
export function asLocal(frame: Buffer, npdu: number): Buffer {
  const local = Buffer.concat([Buffer.from([bacnetIp, bvlc.unicast, 0, 0]), frame.subarray(npdu)]);
  local.writeUInt16BE(local.length, 2);
  return local;
}

/** Returns the frame that registers a foreign device with a BBMD. @param ttl seconds */
export function registration(ttl: number): Buffer {
  return Buffer.from([bacnetIp, bvlc.registerForeign, 0, 6, ttl >> 8, ttl & 0xff]);
}

/** Returns a frame with an APDU for one device, without expecting a reply. */
export function answerFrame(apdu: readonly number[], to: Remote | undefined): Buffer {
  const route =
    to === undefined
      ? [0]
      : [control.destination, to.net >> 8, to.net & 0xff, to.mac.length, ...to.mac, 0xff];
  const frame = Buffer.from([bacnetIp, bvlc.unicast, 0, 0, protocolVersion, ...route, ...apdu]);
  frame.writeUInt16BE(frame.length, 2);
  return frame;
}

/** Returns the APDU of a frame that the hub sends, which may name a network behind a router. */
export function sentApdu(frame: Buffer): Buffer {
  const hasRoute = ((frame[5] ?? 0) & control.destination) !== 0;
  // Network, length and MAC of the destination, then the hop count.
  return frame.subarray(hasRoute ? 10 + (frame[8] ?? 0) : 6);
}
