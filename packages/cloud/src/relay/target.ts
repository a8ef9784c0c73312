/** Where a request to the relay goes. */
export interface Target {
  /** Null if only the HubKey names the hub. */
  readonly hubId: string | null;
  /** Path at the hub, with the query. */
  readonly path: string;
}

const prefixes = [
  /^\/relay(?<path>\/.*)$/,
  /^(?:\/legacy)?\/ui\/0\.2\/hub\/remote(?<path>\/.*)$/,
  /^(?:\/legacy)?\/ui\/0\.2\/hub\/(?<hubId>[^/]+)\/remote(?<path>\/.*)$/,
];
/** A path of most requests, which resolves to itself. */
const plain = /^\/relay(?<path>\/(?:hub|cc\/\d+\.\d+(?:\/[\w~-]+)+)(?:\?[\w=&.~,:%+-]+)?)$/;
const relayed = /^\/(?:hub|cc\/.+)$/;

/**
 * Returns the target of a request to the cloud (hub-api 4): `GET /hub`, or a versioned path.
 * @param url as in the request's first line; `.` and `..` are resolved first
 * @returns undefined for a path that the relay does not serve
 */
export function targetOf(url: string): Target | undefined {
  const resolved = plain.exec(url)?.groups?.["path"];
  if (resolved !== undefined) return { hubId: null, path: resolved };
  const parsed = URL.parse(url.startsWith("/") ? `http://cloud${url}` : url);
  if (parsed === null) return undefined;
  for (const prefix of prefixes) {
    const { path, hubId = null } = prefix.exec(parsed.pathname)?.groups ?? {};
    if (path !== undefined && relayed.test(path)) return { hubId, path: path + parsed.search };
  }
  return undefined;
}
