import { BlockList, isIP, isIPv4 } from "node:net";

const home = new BlockList();
for (const [net, bits] of [
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["169.254.0.0", 16],
  ["127.0.0.0", 8],
] as const)
  home.addSubnet(net, bits, "ipv4");
for (const [net, bits] of [
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  home.addSubnet(net, bits, "ipv6");
home.addAddress("::1", "ipv6");

/** Whether an IP address belongs to a private network or to this machine. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) !== 0 && home.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

/**
 * Returns the origins at which a bridge may answer, the safest first: HTTPS, and HTTP for bridges of the first generation.
 * @param address an IP address of a private network, with a port or without, or an `http:` or `https:` URL of one
 * @returns undefined for anything else: names are not resolved
 */
export function originsOf(address: string): readonly string[] | undefined {
  const given = /^https?:\/\//.test(address);
  const url = URL.parse(given ? address : `http://${isIP(address) === 6 ? `[${address}]` : address}`);
  if (url === null || url.username !== "" || url.pathname !== "/" || url.search !== "" || url.hash !== "")
    return undefined;
  if (!isPrivateAddress(url.hostname.replace(/^\[|\]$/g, ""))) return undefined;
  return given ? [url.origin] : [`https://${url.host}`, `http://${url.host}`];
}
