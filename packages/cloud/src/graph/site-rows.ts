import { limits } from "@ledge/model";
import Type from "typebox";
import { SiteSchema } from "../model/site-schema.ts";
import { SiteProperties } from "../model/site-state.ts";
import { findEntities } from "../sites/finding.ts";
import { pageFields, pageOf } from "./cursors.ts";
import { Failed } from "./errors.ts";
import { row } from "./row.ts";
import { entityObject, GraphEntity, GraphSite, siteObject } from "./site-object.ts";

/** Types that read a site. */
export const siteRows = [
  row({
    type: "GetSiteQuery",
    summary: "Returns the metadata of a site",
    scope: "site",
    right: "R",
    result: { site: GraphSite },
    handle: ({ target: { site } }) => ({ site: siteObject(site) }),
  }),
  row({
    type: "FindEntitiesSiteQuery",
    summary: "Lists the entities at a path, or at all paths that a pattern with `*` and `**` matches",
    scope: "site",
    right: "R",
    fields: {
      globPattern: Type.Optional(Type.String({ minLength: 1, maxLength: limits.siteGlobChars })),
      ...pageFields,
    },
    result: pageOf(GraphEntity),
    async handle({ fields, target: { site }, parts: { cursors } }) {
      const { globPattern = "*" } = fields;
      const items = await findEntities(site.entities, globPattern);
      const name = `entities ${site.id} ${globPattern}`;
      const placeOf = ({ path }: (typeof items)[number]) => ({ value: path, id: path });
      const page = cursors.page({ name, items, placeOf }, fields);
      return page instanceof Failed ? page : { data: page.data.map(entityObject), links: page.links };
    },
  }),
  row({
    type: "GetPropertiesSiteQuery",
    summary: "Returns the properties of a site",
    scope: "site",
    right: "R",
    result: { properties: SiteProperties },
    handle: ({ target: { site } }) => ({ properties: { ...site.about.properties } }),
  }),
  row({
    type: "GetSchemaSiteQuery",
    summary: "Returns what a site may hold",
    scope: "site",
    right: "R",
    result: { schema: SiteSchema },
    handle: ({ target: { site } }) => ({ schema: { ...site.about.schema } }),
  }),
];
