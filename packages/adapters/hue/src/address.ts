import { isIP } from "node:net";
import { mayReach } from "@ledge/soap";

/** Whether an IP address belongs to a private network or to this machine. */
export function isPrivateAddress(address: string): boolean {
  return mayReach(address, { own: true });
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
