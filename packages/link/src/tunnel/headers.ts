/** The headers of a request or an answer, by lower-case names, as in node:http. */
export type TunnelHeaders = Record<string, string | string[]>;

/** Headers as node:http receives them. */
type Received = Readonly<Record<string, string | string[] | undefined>>;

/** Headers about one connection (RFC 9110 7.6.1); HTTP/2 has none of them. */
const hopByHop = [
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/**
 * Headers of a client that must not reach the hub: those about the connection, the cloud's own token, and what
 * only a proxy may set.
 */
const keptFromHubs: ReadonlySet<string> = new Set([
  ...hopByHop,
  "authorization",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
]);

/**
 * The only headers that a hub may set: about the body, and when to retry. Only the cloud may set headers that
 * affect its address as a whole, which it shares among hubs.
 */
const forClients: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-language",
  "content-length",
  "content-type",
  "etag",
  "last-modified",
  "ledge-recorded",
  "retry-after",
  "vary",
]);

/** The header that tells the hub the client's address. */
const clientAddress = "x-forwarded-for";

/**
 * Returns the headers of a client's request for the hub. The cloud token is dropped; the HubKey stays in
 * `X-Hub-Key`, where the hub's remote listener reads it.
 * @param address the client's address, as the cloud sees it
 */
export function headersToHub(headers: Received, address: string): TunnelHeaders {
  const named = namedBy(headers);
  const passed: TunnelHeaders = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !keptFromHubs.has(name) && !named.has(name) && name[0] !== ":")
      passed[name] = value;
  }
  passed[clientAddress] = address;
  return passed;
}

/** Returns the client's address of a request through the tunnel; undefined if it is missing. */
export function addressFrom(headers: Received): string | undefined {
  const value = headers[clientAddress];
  return typeof value === "string" ? value : undefined;
}

/** Returns whether the cloud passes a header of a hub's answer on to the client. @param name in lower case */
export function isForClients(name: string): boolean {
  return forClients.has(name);
}

/** Returns the headers of a hub's answer for the client. */
export function headersFromHub(headers: Received): TunnelHeaders {
  const named = namedBy(headers);
  const passed: TunnelHeaders = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && forClients.has(name) && !named.has(name)) passed[name] = value;
  }
  return passed;
}

const none: ReadonlySet<string> = new Set();

/** Returns the names of further headers about the connection (RFC 9110 7.6.1). */
function namedBy({ connection }: Received): ReadonlySet<string> {
  if (connection === undefined || connection === "keep-alive" || connection === "close") return none;
  const names = String(connection).split(",");
  return new Set(names.map((name) => name.trim().toLowerCase()));
}
