import { BlockList, isIP } from "node:net";

/** Networks whose addresses mean something within them alone (RFC 1918, 3927, 4193, 4291, and the machine itself). */
const local = listOf([
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["169.254.0.0", 16],
  ["127.0.0.0", 8],
  ["fc00::", 7],
  ["fe80::", 10],
  ["::1", 128],
]);

/** The machine itself, its links, and what stands for any address or for many (RFC 1122, 3927, 4291, 5771). */
const ownOrLink = listOf([
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4],
  ["255.255.255.255", 32],
  // The loopback address, the unspecified one, and those of IPv4 in the form that nobody uses any more.
  ["::", 96],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
]);

function listOf(networks: readonly (readonly [network: string, prefix: number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, `ipv${isIP(network) as 4 | 6}`);
  return list;
}

/** Whether an address is in a list; one of IPv4 within IPv6 counts as that of IPv4. */
export function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** Whether an IP address is of a private network, of a link, or of the machine itself. */
export function isLocalAddress(address: string): boolean {
  return isIn(local, address);
}

/** Whether an IP address leads to the machine itself, to a link of it, or to nobody in particular. */
export function isOwnOrLinkAddress(address: string): boolean {
  return isIn(ownOrLink, address.split("%", 1)[0] ?? "");
}

/** What counts as one address: all of an IPv6 /64 is one household. */
export function addressKey(address: string): string {
  return prefixOf(address, 4);
}

/** What one customer of a provider may have: an IPv6 /48, or one address of IPv4. */
export function siteKey(address: string): string {
  return prefixOf(address, 3);
}

/** @param count groups of an address of IPv6 that count; of IPv4 all does */
function prefixOf(address: string, count: number): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("%", 1)[0]?.split("::") ?? [];
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after];
  return groups
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
