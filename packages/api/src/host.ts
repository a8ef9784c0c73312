import { isIPv4, isIPv6 } from "node:net";

/**
 * Whether a `Host` header names this hub. A page of another name that resolves to the hub's address, as in DNS
 * rebinding, does not pass.
 * @param names lower case, without port.
 */
export function isOwnHost(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined) return false;
  if (header.startsWith("[")) return isIPv6(/^\[([^\]]*)\](?::\d*)?$/.exec(header)?.[1] ?? "");
  const colon = header.indexOf(":");
  const name = colon === -1 ? header : header.slice(0, colon);
  if (isIPv4(name)) return true;
  const plain = name.toLowerCase().replace(/\.$/, "");
  return plain === "localhost" || names.includes(plain);
}
