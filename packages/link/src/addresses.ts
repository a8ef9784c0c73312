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

/** IPv4 networks that are not global unicast (IANA special-purpose registry, RFC 6890; RFC 5771, RFC 1112). */
const specialIpv4 = listOf([
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
]);

/** The IPv6 networks that are global unicast (RFC 4291), and those among them that are not (RFC 6890, 9637). */
const unicastIpv6 = listOf([["2000::", 3]]);
const specialIpv6 = listOf([
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
]);

/** IPv6 networks whose addresses hold an IPv4 address: their prefix in groups of 16 bits, and where it stands. */
const carriers: readonly (readonly [prefix: readonly number[], at: number])[] = [
  // Mapped (RFC 4291), NAT64 (RFC 6052), 6to4 (RFC 3056).
  [[0, 0, 0, 0, 0, 0xffff], 6],
  [[0x64, 0xff9b, 0, 0, 0, 0], 6],
  [[0x2002], 1],
];

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

/**
 * Returns whether an IP address leads to the machine itself, to one of its links, or to no single host; one that holds
 * an IPv4 address counts as that.
 */
export function isOwnOrLinkAddress(address: string): boolean {
  return isIn(ownOrLink, plainAddress(address));
}

/** Returns whether an IP address is one host of the internet; one that holds an IPv4 address counts as that. */
export function isGlobalUnicast(address: string): boolean {
  const plain = plainAddress(address);
  if (isIP(plain) === 4) return !isIn(specialIpv4, plain);
  return isIn(unicastIpv6, plain) && !isIn(specialIpv6, plain);
}

/** Returns the IPv4 address that an IPv6 address holds (mapped, NAT64, 6to4); else the address, without its zone. */
export function plainAddress(address: string): string {
  const plain = withoutZone(address);
  if (isIP(plain) !== 6) return plain;
  const groups = groupsIn(plain);
  for (const [prefix, at] of carriers)
    if (prefix.every((group, index) => groups[index] === group))
      return ipv4In(groups[at] ?? 0, groups[at + 1] ?? 0);
  return plain;
}

function withoutZone(address: string): string {
  return address.split("%", 1)[0] ?? "";
}

/**
 * Returns a list of addresses, and of networks such as `10.0.0.0/8`.
 * @throws Error when a text is neither
 */
export function networksIn(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", bits, more] = text.split("/");
    const version = isIP(address);
    const most = version === 6 ? 128 : 32;
    const length = Number(bits ?? most);
    const isLength = bits === undefined || (/^\d{1,3}$/.test(bits) && length <= most);
    if (version === 0 || more !== undefined || !isLength)
      throw new Error(`${text} is not the address of a host or a network`);
    list.addSubnet(address, length, version === 6 ? "ipv6" : "ipv4");
  }
  return list;
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
  return groupsIn(address)
    .slice(0, count)
    .map((group) => group.toString(16))
    .join(":");
}

/** Returns the eight groups of 16 bits of an IPv6 address. */
function groupsIn(address: string): number[] {
  const hex = withoutZone(address).replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = "", tail] = hex.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after];
  return groups.map((group) => Number.parseInt(group, 16));
}

function ipv4In(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
