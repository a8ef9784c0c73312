import { createSocket } from "node:dgram";
import { mayReach, type Place, type Reach } from "./address.ts";

/** Devices that one search tells of; further ones are left out. */
const foundMax = 128;

/** A question to all devices of a group, as WS-Discovery and SSDP ask it, and how its answers are read. */
export interface UdpSearch<Found> {
  readonly group: Place;
  readonly question: string;
  /** Who may answer: messages from any other address are dropped unread. */
  readonly reach: Reach;
  /** The most that an answer may have; a longer one is dropped unread. */
  readonly bytesMax: number;
  /** Returns the devices of an answer from an address; may throw for what is no answer, which is dropped. */
  readonly read: (message: Buffer, sender: string) => readonly Found[];
  /** Returns what tells one device from another. */
  readonly keyOf: (found: Found) => string;
}

/**
 * Asks who is there, and tells of each device once until the signal aborts. A network that cannot be asked has no
 * devices.
 * @param tell for at most 128 devices
 */
export async function searchByUdp<Found>(
  { group, question, reach, bytesMax, read, keyOf }: UdpSearch<Found>,
  tell: (found: Found) => void,
  signal: AbortSignal,
): Promise<void> {
  const readable = (message: Buffer, sender: string): readonly Found[] => {
    try {
      return read(message, sender);
    } catch {
      return [];
    }
  };
  const socket = createSocket({ type: "udp4", signal });
  const seen = new Set<string>();
  const closed = new Promise<void>((resolve) => socket.on("close", resolve));
  socket.on("error", () => {});
  socket.on("message", (message, { address }) => {
    if (signal.aborted || message.length > bytesMax || !mayReach(address, reach)) return;
    for (const found of readable(message, address)) {
      const key = keyOf(found);
      if (seen.has(key) || seen.size >= foundMax) continue;
      seen.add(key);
      tell(found);
    }
  });
  socket.send(question, group.port, group.address, () => {});
  await closed;
}
