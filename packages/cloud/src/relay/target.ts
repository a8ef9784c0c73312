/** What a request to the relay is for. */
export interface Target {
  /** Null where the HubKey alone names the hub. */
  readonly hubId: string | null;
  /** Path at the hub, with the query. */
  readonly path: string;
}

const prefixes = [
  /^\/relay(?<path>\/.*)$/,
  /^(?:\/legacy)?\/ui\/0\.2\/hub\/remote(?<path>\/.*)$/,
  /^(?:\/legacy)?\/ui\/0\.2\/hub\/(?<hubId>[^/]+)\/remote(?<path>\/.*)$/,
];
const relayed = /^\/(?:hub|cc\/.+)$/;

/**
 * The target of a request to the cloud (hub-api 4): `GET /hub`, or what has a version.
 * @param url as in the request's first line; what it says of `.` and `..` is worked out first
 * @returns undefined for what is not relayed
 */
export function targetOf(url: string): Target | undefined {
  const parsed = URL.parse(url.startsWith("/") ? `http://cloud${url}` : url);
  if (parsed === null) return undefined;
  for (const prefix of prefixes) {
    const { path, hubId = null } = prefix.exec(parsed.pathname)?.groups ?? {};
    if (path !== undefined && relayed.test(path)) return { hubId, path: path + parsed.search };
  }
  return undefined;
}
