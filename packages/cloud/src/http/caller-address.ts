import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { addressKey, isIn } from "@ledge/link";

/** What is known of where a request comes from. */
export interface Origin {
  /** IP, or `unknown`. */
  readonly address: string;
  /** `plain`: over a network without TLS, as far as is known. `local`: without it, from this machine. */
  readonly way: "tls" | "plain" | "local";
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether what listens there is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || isIn(loopback, host);
}

/**
 * Makes what tells where a request comes from: its peer, or, where that is a trusted proxy, the newest address in
 * `X-Forwarded-For` that is none. What stands before that one anybody may have written. Whether it came over TLS the
 * connection says, or a trusted proxy in `X-Forwarded-Proto`; one that says nothing is taken to speak it.
 * @param trusted addresses of proxies, or networks such as `10.0.0.0/8`
 * @throws Error when one is neither
 */
export function trustIn(trusted: readonly string[]): (incoming: IncomingMessage | undefined) => Origin {
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
 * Makes what an address counts as whose connections are counted: a /64 of IPv6 as one. Undefined for a trusted proxy,
 * which opens connections for everybody.
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
    throw new Error(`${text} is no address of a proxy, and no network`);
  list.addSubnet(address, length, version === 6 ? "ipv6" : "ipv4");
}
