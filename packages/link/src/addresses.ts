import { BlockList, isIP } from "node:net";

/**
 * Networks whose addresses are only valid within one network (RFC 1918, 3927, 4193, 4291), and the machine
 * itself.
 */
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

/** The machine itself, its links, unspecified addresses and multicast (RFC 1122, 3927, 4291, 5771). */
const ownOrLink = listOf([
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4],
  ["255.255.255.255", 32],
  // Loopback, unspecified, and the deprecated IPv4-compatible addresses.
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

/** Returns whether an address is in a list; an IPv4 address in IPv6 form counts as IPv4. */
export function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** Returns whether an IP address belongs to a private network, a link, or the machine itself. */
export function isLocalAddress(address: string): boolean {
  return isIn(local, address);
}

/** Returns whether an IP address leads to the machine itself, to one of its links, or to no single host. */
export function isOwnOrLinkAddress(address: string): boolean {
  return isIn(ownOrLink, address.split("%", 1)[0] ?? "");
}

/** Returns what counts as one address: an IPv6 /64 is one household. */
export function addressKey(address: string): string {
  return prefixOf(address, 4);
}

/** Returns what one customer of a provider may have: an IPv6 /48, or an IPv4 address. */
export function siteKey(address: string): string {
  return prefixOf(address, 3);
}

/** @param count how many groups of an IPv6 address count; of an IPv4 address all do */
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
