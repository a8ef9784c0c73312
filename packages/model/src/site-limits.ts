/** Limits of sites (platform-api 2.4); part of `limits`. */
export const siteLimits = {
  /** Entities of a site, and how deep they stand in each other. */
  siteEntities: 10_000,
  siteEntityDepth: 16,
  /** The type and the name of an entity. */
  siteEntityNameChars: 50,
  /** A path with as many names as a site is deep. */
  sitePathChars: 815,
  /** Attributes of a site or an entity, and what one is: its value as JSON. */
  siteAttributes: 100,
  siteAttributeNameChars: 64,
  siteAttributeBytes: 16_384,
  siteFeatures: 32,
  siteFeatureChars: 50,
  siteTimeZoneChars: 64,
  /** Kinds of entities in the schema of a site, and the kinds that each may stand in. */
  siteEntityKinds: 200,
  siteEntityParents: 50,
  siteGlobChars: 256,
} as const;
