/** Headers that a request or an answer may have, by their names in lower case, as node:http has them. */
export type TunnelHeaders = Record<string, string | string[]>;

/** The same as node gives them. */
type Received = Readonly<Record<string, string | string[] | undefined>>;

/** They are about one connection (RFC 9110 7.6.1); HTTP/2 knows none of them. */
const hopByHop: ReadonlySet<string> = new Set([
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
]);

/** What a client sends that is not for the hub: the cloud's own token, and what it may not say of itself. */
const notForHubs: ReadonlySet<string> = new Set([
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
 * All that a hub may say of its answer: what the body is, and when to ask again. Whatever tells a client what to do with
 * the cloud's address, under which there are other hubs, is the cloud's to say.
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

/** By this the hub knows from where a client has called the cloud. */
const clientAddress = "x-forwarded-for";

/**
 * The headers of a client's request as the hub gets them. The cloud token stays behind; the HubKey goes on in
 * `X-Hub-Key`, where the hub's remote listener reads it.
 * @param address the client's, as the cloud sees it
 */
export function headersToHub(headers: Received, address: string): TunnelHeaders {
  const passed = passing(headers, (name) => !notForHubs.has(name));
  passed[clientAddress] = address;
  return passed;
}

/** From where a request through the tunnel came; undefined when it does not say. */
export function addressFrom(headers: Received): string | undefined {
  const value = headers[clientAddress];
  return typeof value === "string" ? value : undefined;
}

/** The headers of a hub's answer as they go on to the client. */
export function headersFromHub(headers: Received): TunnelHeaders {
  return passing(headers, (name) => forClients.has(name));
}

function passing(headers: Received, passes: (name: string) => boolean): TunnelHeaders {
  const { connection } = headers;
  const named = connection === undefined ? none : namesIn(String(connection));
  const passed: TunnelHeaders = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || name.startsWith(":")) continue;
    if (!hopByHop.has(name) && passes(name) && !named.has(name)) passed[name] = value;
  }
  return passed;
}

const none: ReadonlySet<string> = new Set();

function namesIn(list: string): ReadonlySet<string> {
  return new Set(list.split(",").map((name) => name.trim().toLowerCase()));
}
