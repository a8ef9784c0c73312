import { type LookupAddress, Resolver } from "node:dns";
import type { Resolve } from "@ledge/link/outgoing";
import { limits } from "@ledge/model";

/** Names that always mean this machine (RFC 6761, 6.3). */
const loopback = /(?:^|\.)localhost\.?$/i;

/**
 * Returns what resolves names by asking name servers. The system's resolver occupies a thread of few while a name server
 * does not answer; this one occupies none. It knows neither `/etc/hosts` nor names of the local network.
 * @param servers addresses, with a port where it is not 53; default: those of the system, as they are then
 */
export function askNameServers(servers?: readonly string[]): Resolve {
  return (hostname, _, callback) => {
    if (loopback.test(hostname)) return callback(null, [{ address: "127.0.0.1", family: 4 }]);
    const resolver = new Resolver({ timeout: limits.egressLookupMs, tries: limits.egressLookupTries });
    if (servers !== undefined) resolver.setServers(servers);
    const found: LookupAddress[] = [];
    let failure: NodeJS.ErrnoException | null = null;
    let left = 2;
    const answered =
      (family: 4 | 6) =>
      (error: NodeJS.ErrnoException | null, addresses: readonly string[] = []): void => {
        if (error === null) for (const address of addresses) found.push({ address, family });
        // Most names have addresses of one family only.
        else if (failure === null || failure.code === "ENODATA") failure = error;
        if (--left > 0) return;
        found.sort((one, other) => one.family - other.family);
        callback(found.length > 0 ? null : failure, found);
      };
    resolver.resolve4(hostname, answered(4));
    resolver.resolve6(hostname, answered(6));
  };
}
