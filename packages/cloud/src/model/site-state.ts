import { limits } from "@ledge/model";
import Type from "typebox";
import type { Attribute } from "./site-attributes.ts";
import type { SiteSchema } from "./site-schema.ts";
import type { Entities } from "./site-tree.ts";

export const siteTypes = ["residential", "office", "retail", "industrial", "other"] as const;

export const SiteProperties = Type.Object({
  siteType: Type.Enum([...siteTypes]),
  /** A name of the IANA time zone database. */
  timeZone: Type.String({ minLength: 1, maxLength: limits.siteTimeZoneChars }),
  features: Type.Array(Type.String({ minLength: 1, maxLength: limits.siteFeatureChars }), {
    maxItems: limits.siteFeatures,
  }),
});
export type SiteProperties = Type.Static<typeof SiteProperties>;

/** A site (platform-api 2.4): what people say of a building, and a tree of what is in it. */
export interface Site {
  readonly id: string;
  /** The resource that it is. */
  readonly place: { readonly subscription: string; readonly group: string; readonly name: string };
  /** What people have written of it. */
  readonly about: {
    readonly displayName: string;
    readonly attributes: readonly Attribute[];
    readonly properties: SiteProperties;
    readonly schema: SiteSchema;
  };
  readonly entities: Entities;
  readonly entityCount: number;
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    site: Site;
  }
}
