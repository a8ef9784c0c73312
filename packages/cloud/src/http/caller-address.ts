import { BlockList, isIP } from "node:net";
import { addressKey, isIn } from "@ledge/link";

/** The origin of a request. */
export interface Origin {
  /** IP, or `unknown`. */
  readonly address: string;
  /** `plain`: over a network, apparently without TLS. `local`: without TLS, from this machine. */
  readonly way: "tls" | "plain" | "local";
}

/** The parts of a request that say where it comes from. */
export interface Addressed {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether a listener on this host can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || isIn(loopback, host);
}

/**
 * Makes a function that finds the origin of a request. The address is the peer's, or, behind trusted proxies,
 * the newest address in `X-Forwarded-For` that is not a proxy; anybody may have written the ones before it.
 * TLS is known from the connection, or from a trusted proxy's `X-Forwarded-Proto`; a proxy without that
 * header counts as TLS.
 * @param trusted addresses of proxies, or networks such as `10.0.0.0/8`
 * @throws Error when one is neither
 */
export function trustIn(trusted: readonly string[]): (incoming: Addressed | undefined) => Origin {
  const proxies = listOf(trusted);
  return (incoming) => {
    const peer = incoming?.socket.remoteAddress ?? "unknown";
    const passed = listIn(incoming?.headers["x-forwarded-for"]);
    let address = peer;
    while (isIn(proxies, address)) {
      const before = passed.pop();
      if (before === undefined || isIP(before) === 0) break;
      address = before;
    }
    if (incoming !== undefined && "encrypted" in incoming.socket) return { address, way: "tls" };
    if (isIn(proxies, peer)) {
      const ways = listIn(incoming?.headers["x-forwarded-proto"]);
      return { address, way: ways.every((way) => way.toLowerCase() === "https") ? "tls" : "plain" };
    }
    return { address, way: isIn(loopback, peer) ? "local" : "plain" };
  };
}

/**
 * Makes a function that returns the key under which an address's connections are counted: a /64 of IPv6 is
 * one. Undefined for a trusted proxy, which connects for everybody.
 * @throws Error as `trustIn`
 */
export function placeIn(trusted: readonly string[]): (address: string) => string | undefined {
  const proxies = listOf(trusted);
  return (address) => (isIn(proxies, address) ? undefined : addressKey(address));
}

function listOf(trusted: readonly string[]): BlockList {
  const proxies = new BlockList();
  for (const text of trusted) addTo(proxies, text);
  return proxies;
}

function listIn(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join() : (header ?? "");
  return text === "" ? [] : text.split(",").map((part) => part.trim());
}

function addTo(list: BlockList, text: string): void {
  const [address = "", bits] = text.split("/");
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  const length = Number(bits ?? most);
  if (version === 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)) || length > most)
    throw new Error(`${text} is not the address of a proxy or a network`);
  list.addSubnet(address, length, version === 6 ? "ipv6" : "ipv4");
}
