import { isIPv4 } from "node:net";
import type { LibraryReceiver } from "node-bacnet";
import type { Remote } from "./frame.ts";

/** The default UDP port. */
export const defaultPort = 47_808;

/** Where a device is: `host:port`, and behind a router `host:port/network/mac`, such as `10.0.0.2:47808/7/0a`. */
export type Address = string;

/** Returns an address from what the hub has received. */
export function addressOf(endpoint: string, source: Remote | undefined): Address {
  if (source === undefined) return endpoint;
  return `${endpoint}/${source.net}/${Buffer.from(source.mac).toString("hex")}`;
}

const form = /^(?<host>[^:/\s]+)(?::(?<port>\d{1,5}))?(?:\/(?<net>\d{1,5})\/(?<mac>(?:[0-9a-f]{2}){1,18}))?$/;

/** Returns an address in full, with the port that clients may leave out; undefined when it is none. */
export function readAddress(text: string): Address | undefined {
  const { host, port, net, mac } = form.exec(text)?.groups ?? {};
  if (host === undefined || !isIPv4(host)) return undefined;
  if (Number(port ?? 1) === 0 || Number(port ?? 1) > 0xffff) return undefined;
  if (net !== undefined && (Number(net) === 0 || Number(net) >= 0xffff)) return undefined;
  return `${host}:${port ?? defaultPort}${net === undefined ? "" : `/${net}/${mac}`}`;
}

/** Returns the host and port of the next hop to an address. */
export function endpointOf(address: Address): string {
  return address.split("/", 1)[0] as string;
}

/** Returns the host of the next hop: its ports, and what is behind it, are free for it to take. */
export function hostOf(address: Address): string {
  return address.split(":", 1)[0] as string;
}

/** Returns the part of an address behind a router. */
export function remoteOf(address: Address): Remote | undefined {
  const [, net, mac] = address.split("/");
  return net === undefined ? undefined : { net: Number(net), mac: [...Buffer.from(mac ?? "", "hex")] };
}

/** Returns an address as the library takes it. */
export function receiverOf(address: Address): LibraryReceiver {
  const remote = remoteOf(address);
  return { address: endpointOf(address), ...(remote && { net: remote.net, adr: [...remote.mac] }) };
}
