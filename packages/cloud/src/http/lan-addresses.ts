import { addressKey, isLocalAddress } from "@ledge/link";
import { limits } from "@ledge/model";

interface Told {
  readonly hubId: string;
  readonly version: string;
  readonly addresses: readonly string[];
  readonly until: number;
}

/** The LAN addresses of hubs, by the public address of their network. In memory only. */
export class LanAddresses {
  readonly #networks = new Map<string, Map<string, Told>>();
  /** The last network of each hub, least recently updated first. */
  readonly #hubs = new Map<string, string>();

  /**
   * Records the LAN addresses of a hub.
   * @param now elapsed time (ms), as in all methods here
   */
  put(
    outside: string,
    hub: { readonly hubId: string; readonly version: string; readonly addresses: readonly string[] },
    now: number,
  ): void {
    const { hubId, version } = hub;
    this.#remove(hubId);
    const [oldest] = this.#hubs.keys();
    if (this.#hubs.size >= limits.hubs && oldest !== undefined) this.#remove(oldest);
    // Only local addresses: a hub must not be able to direct users elsewhere.
    const addresses = hub.addresses.filter(isLocalAddress);
    if (addresses.length === 0) return;
    const key = addressKey(outside);
    const network = this.#networks.get(key) ?? new Map<string, Told>();
    network.set(hubId, { hubId, version, addresses, until: now + limits.hubSessionMs });
    this.#networks.set(key, network);
    this.#hubs.set(hubId, key);
  }

  /** Returns the addresses of the hubs in a network, most recently updated first. */
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
