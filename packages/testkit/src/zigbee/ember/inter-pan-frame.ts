import type { Ieee, InterPanFrame } from "../air.ts";
import { ByteReader, wire } from "../bytes.ts";

/** MAC frame control of a data frame with a long source address (IEEE 802.15.4, 7.2.2). */
const control = { toShort: 0xc801, toLong: 0xcc01, acknowledged: 0x0020 } as const;
/** Network and APS frame control of inter-PAN frames (Zigbee specification, annex B). */
const [networkControl, apsControl] = [0x000b, 0x03];
const anyPan = 0xffff;

/** A MAC frame with an inter-PAN message; `to` is null for a broadcast. */
export type RawInterPan = Pick<InterPanFrame, "profile" | "cluster" | "payload"> & {
  readonly to: Ieee | null;
};

/**
 * Parses a raw MAC frame.
 * @returns null for one that is no inter-PAN message
 * @throws RangeError for one that is too short
 */
export function parseInterPan(bytes: Uint8Array): RawInterPan | null {
  const reader = new ByteReader(bytes);
  const kind = reader.u16() & ~control.acknowledged;
  // Skip sequence number and PAN id.
  reader.bytes(3);
  if (kind !== control.toShort && kind !== control.toLong) return null;
  const isBroadcast = kind === control.toShort;
  if (isBroadcast) reader.u16();
  const to = isBroadcast ? null : reader.ieee();
  // Skip the source.
  reader.bytes(10);
  if (reader.u16() !== networkControl || (reader.u8() & 3) !== apsControl) return null;
  return { to, cluster: reader.u16(), profile: reader.u16(), payload: reader.rest() };
}

/** Returns a device's message to the stick as a raw MAC frame. */
export function encodeInterPan({ from, profile, cluster, payload }: InterPanFrame, to: Ieee): Uint8Array {
  const head = wire().u16(control.toLong).u8(0).u16(anyPan).ieee(to).u16(anyPan).ieee(from);
  return head.u16(networkControl).u8(apsControl).u16(cluster, profile).bytes(payload).done();
}
