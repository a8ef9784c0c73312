import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isLocalAddress, isOwnOrLinkAddress, plainAddress } from "@ledge/link/addresses";

/** A server on the local network: an IP address that was judged, never a name. */
export interface Place {
  readonly address: string;
  readonly port: number;
  /** Whether it is spoken to through TLS; absent: it is not. */
  readonly isSecure?: true;
}

/** An address is not one of the local network, or a name has none. */
export class ForeignAddress extends Error {
  override readonly name = "ForeignAddress";
}

/** Which addresses may be asked. `own`: this machine and link-local addresses too. */
export interface Reach {
  readonly own: boolean;
}

/** Returns whether an IP address is on the local network and may be asked. */
export function mayReach(address: string, { own }: Reach): boolean {
  if (isIP(address) === 0 || !isLocalAddress(plainAddress(address))) return false;
  return own || !isOwnOrLinkAddress(address);
}

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Returns the address of a host: the one to connect to from now on, because a name may lead elsewhere the next time
 * it is asked for. Every address of the name must be on the local network.
 * @throws ForeignAddress
 */
export async function addressOf(
  host: string,
  reach: Reach,
  resolve: Resolve = systemResolve,
): Promise<string> {
  const bare = host.replaceAll(/^\[|\]$/g, "");
  const addresses = isIP(bare) === 0 ? await resolved(bare, resolve) : [bare];
  const foreign = addresses.find((address) => !mayReach(address, reach));
  if (foreign !== undefined) throw new ForeignAddress(`${foreign} is no address of the local network`);
  return addresses[0] as string;
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    const addresses = await resolve(host);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    throw new ForeignAddress(`${host} has no address`, { cause });
  }
  throw new ForeignAddress(`${host} has no address`);
}

/** Returns an address with its port as in a URL. */
export function authorityOf({ address, port }: Place): string {
  return `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}

/**
 * Returns the path of a URL that a device names, for its own address alone: a device may not make the hub ask
 * anybody else. A path alone is taken too. Undefined for a URL of something else than HTTP. A device that is spoken to through TLS
 * is never asked without it, whatever it names.
 */
export function pathOn(
  url: string,
  place: Place,
): { readonly place: Place; readonly path: string } | undefined {
  const parsed = URL.parse(url, `${place.isSecure ? "https" : "http"}://${authorityOf(place)}/`);
  const { isSecure = false } = place;
  const isHttps = parsed?.protocol === "https:";
  if (parsed === null || (parsed.protocol !== "http:" && !(isHttps && isSecure))) return undefined;
  const path = `${parsed.pathname}${parsed.search}`;
  // Behind a forwarded port a device knows only its own address and port; the hub stays with what it was told.
  const host = parsed.hostname.replaceAll(/^\[|\]$/g, "");
  const isOwn = host === place.address && isHttps === isSecure;
  const port = isOwn ? Number(parsed.port || (isSecure ? 443 : 80)) : place.port;
  return { place: { ...place, port }, path };
}
