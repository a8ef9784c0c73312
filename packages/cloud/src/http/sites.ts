/** A site of the cloud: a path prefix of the user API that shows only its own hubs. */
export interface Site {
  /** Prefix of its paths. */
  readonly prefix: string;
  /** Whether the site shows a hub of this version (hub-api 2.1). */
  isServed(version: string): boolean;
  /** Whether it refuses with problem details (RFC 9457) instead of `{message}`. */
  readonly hasProblems?: true;
}

const isLegacy = (version: string): boolean => version.startsWith("1.14.9.");

/** The sites of `cloud_url` and `legacy_cloud_url` (hub-api 4.10). */
export const sites: readonly Site[] = [
  { prefix: "/ui/0.2", isServed: (version) => !isLegacy(version) },
  { prefix: "/legacy/ui/0.2", isServed: isLegacy },
];

/** The site of Graph (platform-api 4.1). */
export const graphSite: Site = { prefix: "/graph", isServed: () => true, hasProblems: true };

/** The site of the platform's REST API (platform-api 4.4). */
export const platformSite: Site = { prefix: "/1.0", isServed: () => true, hasProblems: true };

/** The site of the operations of providers (platform-api 4.3). */
export const providerSite: Site = { prefix: "/providers", isServed: () => true, hasProblems: true };

/** The root, for hubs and for pages of no site: it shows no hubs. */
export const root: Site = { prefix: "", isServed: () => false };
