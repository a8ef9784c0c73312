import type { Clock } from "@ledge/kernel";
import { isLocalAddress } from "@ledge/link";
import { type NetworkStick, networkStick, stickServices } from "@ledge/serial";
import type { Answer } from "dns-packet";
import { ServiceBrowser } from "../discovery/browser.ts";

/** The Zigbee coordinators that announce themselves on the hub's own networks. */
export class NetworkSticks {
  readonly #browser: ServiceBrowser;
  readonly #listeners = new Set<() => void>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#browser = new ServiceBrowser(stickServices, clock);
  }

  /** Takes the records of a response of multicast DNS. */
  heard(records: readonly Answer[]): void {
    if (this.#browser.heard(records)) for (const listener of this.#listeners) listener();
  }

  /** Returns the coordinators that are there, each address once. An address elsewhere is nobody's coordinator. */
  list(): readonly NetworkStick[] {
    const sticks = this.#browser.services().flatMap((service) => {
      const stick = networkStick({ ...service, addresses: service.addresses.filter(isLocalAddress) });
      return stick === undefined ? [] : [stick];
    });
    return [...new Map(sticks.map((stick) => [stick.port, stick])).values()];
  }

  /** Returns what is known of the coordinator at an address; undefined for any other. */
  at(port: string): NetworkStick | undefined {
    return this.list().find((stick) => stick.port === port);
  }

  /** Calls back when the list may have changed; returns a function that unsubscribes. */
  onChanged(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }
}
