import { isIPv4, isIPv6 } from "node:net";

/**
 * Whether a `Host` header names this hub. A page of another name that resolves to the hub's address, as in DNS
 * rebinding, does not pass.
 * @param names lower case, without port.
 */
export function isOwnHost(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined) return false;
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(header);
  if (bracketed) return isIPv6(bracketed[1] ?? "");
  const name = header.replace(/:\d*$/, "");
  if (isIPv4(name)) return true;
  const plain = name.toLowerCase().replace(/\.$/, "");
  return plain === "localhost" || names.includes(plain);
}
