import { BlockList, isIP } from "node:net";
import { addressKey, isIn, networksIn } from "@ledge/link";

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
  const proxies = networksIn(trusted);
  const peers = new WeakMap<object, Peer>();
  const peerOf = (incoming: Addressed | undefined): Peer => {
    if (incoming === undefined) return peerAt("unknown", proxies);
    const known = peers.get(incoming.socket);
    if (known !== undefined) return known;
    const { remoteAddress } = incoming.socket;
    const peer = peerAt(remoteAddress ?? "unknown", proxies);
    if (remoteAddress !== undefined) peers.set(incoming.socket, peer);
    return peer;
  };
  return (incoming) => {
    const peer = peerOf(incoming);
    const isOverTls = incoming !== undefined && "encrypted" in incoming.socket;
    if (!peer.isProxy)
      return { address: peer.address, way: isOverTls ? "tls" : peer.isLocal ? "local" : "plain" };
    const address = clientBehind(peer.address, listIn(incoming?.headers["x-forwarded-for"]), proxies);
    if (isOverTls) return { address, way: "tls" };
    const ways = listIn(incoming?.headers["x-forwarded-proto"]);
    return { address, way: ways.every((way) => way.toLowerCase() === "https") ? "tls" : "plain" };
  };
}

/** The other end of a connection. Address lists are slow to ask, so it is known by its socket. */
interface Peer {
  readonly address: string;
  readonly isProxy: boolean;
  readonly isLocal: boolean;
}

function peerAt(address: string, proxies: BlockList): Peer {
  return { address, isProxy: isIn(proxies, address), isLocal: isIn(loopback, address) };
}

/** Returns the newest address that is not a proxy's. @param passed oldest first */
function clientBehind(proxy: string, passed: string[], proxies: BlockList): string {
  let address = proxy;
  do {
    const before = passed.pop();
    if (before === undefined || isIP(before) === 0) break;
    address = before;
  } while (isIn(proxies, address));
  return address;
}

/**
 * Makes a function that returns the key under which an address's connections are counted: a /64 of IPv6 is
 * one. Undefined for a trusted proxy, which connects for everybody.
 * @throws Error as `trustIn`
 */
export function placeIn(trusted: readonly string[]): (address: string) => string | undefined {
  const proxies = networksIn(trusted);
  return (address) => (isIn(proxies, address) ? undefined : addressKey(address));
}

function listIn(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join() : (header ?? "");
  return text === "" ? [] : text.split(",").map((part) => part.trim());
}
