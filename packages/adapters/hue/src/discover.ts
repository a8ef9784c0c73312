import { createSocket } from "node:dgram";
import type { AdapterClock } from "@ledge/port";
import { isPrivateAddress } from "./address.ts";

const mdns = { address: "224.0.0.251", port: 5353 };
const waitMs = 2000;
const mostBridges = 8;

/** `_hue._tcp.local` as labels. */
const service = Buffer.concat(
  ["_hue", "_tcp", "local", ""].map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)])),
);
/** One question: PTR, with an answer to the asking port alone. */
const question = Buffer.concat([
  Buffer.of(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0),
  service,
  Buffer.of(0, 12, 0x80, 1),
]);
/** An answer names the service; the end of its name may be a pointer. */
const named = service.subarray(0, 10);

/**
 * Asks the network by mDNS for bridges. A bridge answers for itself, so its address is the sender's.
 * @param target where to ask; by default the group of mDNS
 * @returns addresses of a private network; none if the network cannot be asked
 */
export async function discoverBridges(
  clock: AdapterClock,
  target: { readonly address: string; readonly port: number } = mdns,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const { promise: waited, resolve: end } = Promise.withResolvers<void>();
  const socket = createSocket("udp4");
  socket.on("message", (message, { address }) => {
    const isAnswer = ((message[2] ?? 0) & 0x80) !== 0;
    if (isAnswer && message.includes(named) && isPrivateAddress(address) && found.size < mostBridges)
      found.add(address);
  });
  socket.on("error", () => end());
  socket.bind(0, () => socket.send(question, target.port, target.address, (error) => error && end()));
  const cancel = clock.after(waitMs, end);
  await waited;
  cancel();
  socket.close();
  return [...found];
}
