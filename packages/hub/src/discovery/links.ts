import type { NetworkInterfaceInfo } from "node:os";
import { networkInterfaces } from "node:os";
import { isIPv6 } from "node:net";
import { limits } from "@ledge/model";

/** One interface of the machine on which the hub is reachable, for one IP version. */
export interface LinkAddresses {
  readonly interface: string;
  readonly family: "IPv4" | "IPv6";
  /** Own addresses of this IP version, with the prefix length of their networks. */
  readonly networks: readonly (readonly [address: string, prefix: number])[];
  /** The addresses of both IP versions at which the API is served there. */
  readonly served: readonly string[];
}

/**
 * Returns the links on which to announce a hub. A host with IPv6 only also learns of IPv4 addresses there.
 * @param host the address that the API listens on; `0.0.0.0` and `::` stand for all but loopback
 * @returns links by a key that changes with their content
 */
export function linksFor(
  host: string,
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces(),
): Map<string, LinkAddresses> {
  const links = new Map<string, LinkAddresses>();
  for (const [name, found = []] of Object.entries(interfaces)) {
    const served = found
      .filter((own) => isServed(host, own))
      .map(({ address }) => address)
      .slice(0, limits.mdnsAddressesPerLink);
    if (served.length === 0) continue;
    for (const family of ["IPv4", "IPv6"] as const) {
      const networks = found.flatMap((own) =>
        own.family === family && own.cidr !== null
          ? [[own.address, Number(own.cidr.split("/")[1])] as const]
          : [],
      );
      if (networks.length === 0) continue;
      const link = { interface: name, family, networks, served };
      links.set(JSON.stringify(link), link);
    }
  }
  return links;
}

/** A server at `::` also accepts IPv4. */
function isServed(host: string, { family, address, internal }: NetworkInterfaceInfo): boolean {
  if (host === "::") return !internal;
  if (host === "0.0.0.0") return !internal && family === "IPv4";
  return address === (isIPv6(host) ? host.split("%")[0] : host);
}
