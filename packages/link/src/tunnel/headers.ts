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

/** What a hub may not say in the name of the cloud's address, under which there are other hubs. */
const notForClients: ReadonlySet<string> = new Set([
  "alt-svc",
  "clear-site-data",
  "nel",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "set-cookie",
  "strict-transport-security",
]);

/** By this the hub knows from where a client has called the cloud. */
const clientAddress = "x-forwarded-for";

/**
 * The headers of a client's request as the hub gets them. The cloud token stays behind; the HubKey goes on in
 * `X-Hub-Key`, where the hub's remote listener reads it.
 * @param address the client's, as the cloud sees it
 */
export function headersToHub(headers: Received, address: string): TunnelHeaders {
  const passed = passing(headers, notForHubs);
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
  return passing(headers, notForClients);
}

function passing(headers: Received, left: ReadonlySet<string>): TunnelHeaders {
  const { connection } = headers;
  const named = connection === undefined ? none : namesIn(String(connection));
  const passed: TunnelHeaders = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || name.startsWith(":")) continue;
    if (!hopByHop.has(name) && !left.has(name) && !named.has(name)) passed[name] = value;
  }
  return passed;
}

const none: ReadonlySet<string> = new Set();

function namesIn(list: string): ReadonlySet<string> {
  return new Set(list.split(",").map((name) => name.trim().toLowerCase()));
}
