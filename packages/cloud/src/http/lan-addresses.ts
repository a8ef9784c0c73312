import { addressKey, isLocalAddress } from "@ledge/link";
import { limits } from "@ledge/model";

interface Told {
  readonly hubId: string;
  readonly version: string;
  readonly addresses: readonly string[];
  readonly until: number;
}

/** Where hubs are in their own networks, by the address under which the network is seen from outside. In memory only. */
export class LanAddresses {
  readonly #networks = new Map<string, Map<string, Told>>();
  /** In which network a hub was last; the one that told it longest ago comes first. */
  readonly #hubs = new Map<string, string>();

  /** @param now elapsed time (ms), as everywhere here */
  put(
    outside: string,
    hub: { readonly hubId: string; readonly version: string; readonly addresses: readonly string[] },
    now: number,
  ): void {
    const { hubId, version } = hub;
    this.#remove(hubId);
    const [oldest] = this.#hubs.keys();
    if (this.#hubs.size >= limits.hubs && oldest !== undefined) this.#remove(oldest);
    // Nobody is sent anywhere but into their own network by what a hub says.
    const addresses = hub.addresses.filter(isLocalAddress);
    if (addresses.length === 0) return;
    const key = addressKey(outside);
    const network = this.#networks.get(key) ?? new Map<string, Told>();
    network.set(hubId, { hubId, version, addresses, until: now + limits.hubSessionMs });
    this.#networks.set(key, network);
    this.#hubs.set(hubId, key);
  }

  /** Addresses of the hubs in a network; those that were told last come first. */
  in(outside: string, isServed: (version: string) => boolean, now: number): readonly string[] {
    const told = [...(this.#networks.get(addressKey(outside))?.values() ?? [])];
    for (const { hubId } of told.filter(({ until }) => until <= now)) this.#remove(hubId);
    const shown = told.filter(({ until, version }) => until > now && isServed(version)).toReversed();
    return [...new Set(shown.flatMap(({ addresses }) => addresses))].slice(0, limits.lanAddresses);
  }

  #remove(hubId: string): void {
    const key = this.#hubs.get(hubId);
    if (key === undefined) return;
    this.#hubs.delete(hubId);
    const network = this.#networks.get(key);
    network?.delete(hubId);
    if (network?.size === 0) this.#networks.delete(key);
  }
}
