import type { NetworkInterfaceInfo } from "node:os";
import { networkInterfaces } from "node:os";

/**
 * Returns the IP addresses at which clients in the same network reach the hub.
 * @param address the base address that the API is served at; null while it is not served
 */
export function lanAddresses(
  address: string | null,
  interfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces,
): readonly string[] {
  if (address === null) return [];
  const host = new URL(address).hostname.replaceAll(/[[\]]/g, "");
  if (host !== "0.0.0.0" && host !== "::") return [host];
  return Object.values(interfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0)
    .filter(({ family }) => host === "::" || family === "IPv4")
    .map(({ address: own }) => own);
}
