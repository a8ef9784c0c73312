import type { AttributeChange } from "./site-attributes.ts";
import type { SiteSchema } from "./site-schema.ts";
import type { Site, SiteProperties } from "./site-state.ts";
import type { EntityDevice } from "./site-tree.ts";

export type SiteCommand =
  | {
      type: "CREATE_SITE";
      id: string;
      place: Site["place"];
      displayName: string;
      attributes: readonly AttributeChange[];
      properties: SiteProperties;
      schema: SiteSchema;
    }
  | { type: "DELETE_SITE"; id: string }
  /** What is left out stays. */
  | { type: "UPDATE_SITE"; id: string; displayName?: string; attributes?: readonly AttributeChange[] }
  | { type: "SET_SITE_PROPERTIES"; id: string; properties: SiteProperties }
  /** Refused when something in the site does not fit it. */
  | { type: "SET_SITE_SCHEMA"; id: string; schema: SiteSchema }
  | {
      type: "CREATE_SITE_ENTITY";
      id: string;
      parent: string;
      entityType: string;
      name: string;
      displayName: string;
      attributes: readonly AttributeChange[];
      device: EntityDevice | null;
    }
  /** What is left out stays; `parent` moves it. */
  | {
      type: "UPDATE_SITE_ENTITY";
      id: string;
      path: string;
      displayName?: string;
      attributes?: readonly AttributeChange[];
      device?: EntityDevice | null;
      parent?: string;
    }
  | { type: "DELETE_SITE_ENTITY"; id: string; path: string };
