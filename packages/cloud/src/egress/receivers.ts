import type { BlockList } from "node:net";
import { isIP } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { isGlobalUnicast, isIn, networksIn, plainAddress } from "@ledge/link";
import type { Guard } from "@ledge/link/outgoing";
import { limits } from "@ledge/model";

/** Ports below it belong to other protocols than HTTP, but for 443. */
const firstFreePort = 1024;

/**
 * Says which receivers the cloud sends events to: hosts of the internet, with TLS. Addresses in the networks that
 * the operator names may be called as well, without TLS and on any port.
 */
export class Receivers implements Guard {
  readonly refusal = "is no host of the internet, and the settings do not allow it (egress.networks)";
  readonly #networks: BlockList;
  readonly #allowsPlain: boolean;
  readonly #interfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>;

  /**
   * @param interfaces of this machine: it sends nothing to itself
   * @throws Error as `networksIn`
   */
  constructor(
    networks: readonly string[] = [],
    interfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces,
  ) {
    this.#networks = networksIn(networks);
    this.#allowsPlain = networks.length > 0;
    this.#interfaces = interfaces;
  }

  /** Whether the operator allows other receivers than hosts of the internet. */
  get areLocal(): boolean {
    return this.#allowsPlain;
  }

  mayAsk(address: string, isPlain: boolean): boolean {
    if (isIn(this.#networks, address)) return true;
    return !isPlain && isGlobalUnicast(address) && !this.#isOwn(address);
  }

  /** Returns what is wrong with the URL of a receiver; undefined when it may be tried. */
  problemOf(url: string): string | undefined {
    if (url.length > limits.egressUrlChars) return `has at most ${limits.egressUrlChars} characters`;
    const parsed = URL.parse(url);
    if (parsed === null) return "is no URL";
    const { protocol, username, password, port, hash } = parsed;
    const isPlain = protocol === "http:";
    if (protocol !== "https:" && !(isPlain && this.#allowsPlain)) return "must begin with https://";
    if (username !== "" || password !== "") return "must not contain a user: use a header";
    if (hash !== "") return "must not contain a fragment";
    const isUsual = port === "" || port === "443" || Number(port) >= firstFreePort;
    if (!isUsual && !this.#allowsPlain) return `must name port 443, or one from ${firstFreePort} on`;
    const host = parsed.hostname.replaceAll(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && !this.mayAsk(host, isPlain)) return this.refusal;
    return undefined;
  }

  /** Returns whether an address is one of this machine's, in whatever form. */
  #isOwn(address: string): boolean {
    const own = Object.values(this.#interfaces()).flatMap((found) => found ?? []);
    return isIn(networksIn(own.map((one) => plainAddress(one.address))), plainAddress(address));
  }
}
