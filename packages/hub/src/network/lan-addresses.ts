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
  const host = hostIn(address);
  if (!isAny(host)) return [host];
  return Object.values(interfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0)
    .filter(({ family }) => host === "::" || family === "IPv4")
    .map(({ address: own }) => own);
}

/**
 * Returns the address to open in a browser. A hub that listens on all addresses has many, and is asked by its name.
 * @param address the base address that the API is served at
 * @param name the host name that the hub announces on its network; undefined while it announces none
 */
export function addressToOpen(
  address: string,
  name: string | undefined,
  interfaces?: () => NodeJS.Dict<NetworkInterfaceInfo[]>,
): string {
  if (!isAny(hostIn(address))) return address;
  const [host = "localhost"] = name === undefined ? lanAddresses(address, interfaces) : [name];
  const url = new URL(address);
  url.hostname = host.includes(":") ? `[${host}]` : host;
  return url.origin;
}

function hostIn(address: string): string {
  return new URL(address).hostname.replaceAll(/[[\]]/g, "");
}

/** Whether a host stands for all addresses of this machine. */
function isAny(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}
