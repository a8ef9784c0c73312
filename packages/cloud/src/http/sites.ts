/** An address under which people reach a cloud: each shows only its own hubs. */
export interface Site {
  /** What the paths begin with. */
  readonly prefix: string;
  /** Whether a hub of this version (hub-api 2.1) is one of its. */
  isServed(version: string): boolean;
}

const isLegacy = (version: string): boolean => version.startsWith("1.14.9.");

/** `cloud_url` and `legacy_cloud_url` of hub-api 4.10. */
export const sites: readonly Site[] = [
  { prefix: "/ui/0.2", isServed: (version) => !isLegacy(version) },
  { prefix: "/legacy/ui/0.2", isServed: isLegacy },
];

/** What hubs and the curious reach: no hub is shown there. */
export const root: Site = { prefix: "", isServed: () => false };
