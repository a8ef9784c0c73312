import type { Row1 } from "./row.ts";

const site = "/Sites/:siteId";
const entities = `${site}/Entities`;
const targets = `${site}/EgressTargets`;

/** Sites and what is in them. */
export const sites: readonly Row1[] = [
  { method: "GET", path: site, type: "GetSiteQuery", answer: "site" },
  { method: "PATCH", path: site, type: "UpdateSiteCommand", body: "message", answer: "site" },
  { method: "GET", path: entities, type: "FindEntitiesSiteQuery", query: "entities" },
  {
    method: "POST",
    path: entities,
    type: "CreateEntitySiteCommand",
    query: ["parentPath"],
    body: "entity",
    answer: "entity",
    created: ({ entity }, { siteId }) => {
      const { path } = entity as { readonly path: string };
      return `/Sites/${String(siteId)}/Entities?globPattern=${encodeURIComponent(path)}`;
    },
  },
  {
    method: "PATCH",
    path: entities,
    type: "UpdateEntitySiteCommand",
    query: ["path"],
    body: "entity",
    answer: "entity",
  },
  { method: "DELETE", path: entities, type: "DeleteEntitySiteCommand", query: ["path"] },
  { method: "GET", path: `${site}/Properties`, type: "GetPropertiesSiteQuery", answer: "properties" },
  {
    method: "PUT",
    path: `${site}/Properties`,
    type: "SetPropertiesSiteCommand",
    body: "properties",
    answer: "properties",
  },
  { method: "GET", path: `${site}/Schema`, type: "GetSchemaSiteQuery", answer: "schema" },
  { method: "PUT", path: `${site}/Schema`, type: "SetSchemaSiteCommand", body: "schema", answer: "schema" },
  { method: "GET", path: targets, type: "ListEgressTargetsSiteQuery", query: "page" },
  {
    method: "POST",
    path: targets,
    type: "CreateEgressTargetSiteCommand",
    body: "target",
    answer: "target",
    created: ({ target }, { siteId }) => {
      const { id } = target as { readonly id: string };
      return `/Sites/${String(siteId)}/EgressTargets/${id}`;
    },
  },
  { method: "GET", path: `${targets}/:targetId`, type: "GetEgressTargetSiteQuery", answer: "target" },
  {
    method: "PUT",
    path: `${targets}/:targetId`,
    type: "UpdateEgressTargetSiteCommand",
    body: "target",
    answer: "target",
  },
  { method: "DELETE", path: `${targets}/:targetId`, type: "DeleteEgressTargetSiteCommand" },
  {
    method: "GET",
    path: `${site}/Templates`,
    type: "ListTemplatesSiteQuery",
    query: ["templateType"],
    answer: "templates",
  },
  { method: "GET", path: `${site}/Templates/:templateId`, type: "GetTemplateSiteQuery", answer: "template" },
];
