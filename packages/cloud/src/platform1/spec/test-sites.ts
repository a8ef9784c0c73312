// Sites, their entities, egress targets and templates (platform-api 4.4).
import type { Chapter, Step } from "./test-steps.ts";

const site = "/Sites/{site}";
const entities = `${site}/Entities`;
const targets = `${site}/EgressTargets`;
const deleted = (ask: string): Step => ({ ask, status: 200, has: { title: "Deleted" } });
const floor = (name: string, parent = "", status = 201): Step => ({
  ask: `POST ${entities}?parentPath=${parent}`,
  body: { type: "floor", name },
  status,
});
const house = [floor("one"), floor("hall", "one"), floor("bath", "one"), floor("two")];
const found = (globPattern: string, ...lists: string[]): Step => ({
  ask: `GET ${entities}?globPattern=${encodeURIComponent(globPattern)}`,
  status: 200,
  lists,
});
const attributes = [
  { $type: "Int", name: "floors", value: 2 },
  { $type: "String", name: "street", value: "Main" },
];
const target = { $type: "rest", id: "main", url: "https://hooks.example/in" };
const created: Step = { ask: `POST ${targets}`, body: { ...target, fetchMaxEvents: 3 }, status: 201 };
const move = (path: string, changeParentPath: string | null, status = 200): Step => ({
  ask: `PATCH ${entities}?path=${path}`,
  body: { changeParentPath },
  status,
});

export const sites: Chapter = {
  "get site metadata": [
    { ask: `GET ${site}`, status: 200, has: { siteId: "{site}", attributes: null } },
    { ask: `GET ${site}`, as: "stranger", status: 404 },
    { ask: "GET /Sites/none", status: 404 },
  ],
  "update site partially": [
    { ask: `PATCH ${site}`, body: { displayName: "House", attributes }, status: 200 },
    { ask: `PATCH ${site}`, body: { displayName: "Home" }, status: 200 },
    { ask: `GET ${site}`, status: 200, has: { displayName: "Home", attributes } },
    {
      ask: `PATCH ${site}`,
      body: { attributes: [{ $type: "Int", name: "floors", value: 3 }] },
      status: 200,
      has: { displayName: "Home", attributes: [{ ...attributes[0], value: 3 }, attributes[1]] },
    },
    { ask: `PATCH ${site}`, body: {}, status: 200, has: { displayName: "Home" } },
    { ask: `PATCH ${site}`, body: { displayName: 7 }, status: 422 },
    { ask: `PATCH ${site}`, body: { displayName: "Mine" }, as: "stranger", status: 404 },
  ],
  "an attribute whose value is set to null is removed": [
    { ask: `PATCH ${site}`, body: { attributes }, status: 200 },
    { ask: `PATCH ${site}`, body: { attributes: [{ name: "floors", value: null }] }, status: 200 },
    { ask: `GET ${site}`, status: 200, has: { attributes: attributes.slice(1) } },
  ],
  "find entities": [
    ...house,
    {
      ask: `GET ${entities}?pageSize=3`,
      status: 200,
      lists: ["one", "one/bath", "one/hall"],
      keep: { next: "links.next" },
    },
    {
      ask: `GET ${entities}?pageSize=3&next={next}`,
      status: 200,
      lists: ["two"],
      keep: { prev: "links.prev" },
    },
    { ask: `GET ${entities}?pageSize=3&prev={prev}`, status: 200, lists: ["one", "one/bath", "one/hall"] },
    { ask: `GET ${entities}`, as: "stranger", status: 404 },
  ],
  "a pattern finds one entity by its path, many by a glob, and all by an asterisk": [
    ...house,
    found("one/hall", "one/hall"),
    found("one/*", "one/bath", "one/hall"),
    found("t*", "two"),
    found("**/b*", "one/bath"),
    found("*", "one", "one/bath", "one/hall", "two"),
    found("none"),
  ],
  "create entity": [
    {
      ...floor("one"),
      has: { path: "one", type: "floor", name: "one" },
      headers: { location: "/Entities?globPattern=one" },
    },
    floor("one", "", 409),
    { ask: `POST ${entities}`, body: { type: "floor" }, status: 422 },
    { ...floor("two"), as: "stranger", status: 404 },
  ],
  "an entity is created under a parent that exists": [
    floor("one"),
    { ...floor("hall", "one"), has: { path: "one/hall" } },
    floor("hall", "none", 404),
  ],
  "update entity": [
    floor("one"),
    { ask: `PATCH ${entities}?path=one`, body: { displayName: "Ground", attributes }, status: 200 },
    {
      ask: `PATCH ${entities}?path=one`,
      body: { displayName: "First" },
      status: 200,
      has: { path: "one", attributes },
    },
    { ask: `PATCH ${entities}?path=none`, body: { displayName: "First" }, status: 404 },
    { ask: `PATCH ${entities}`, body: { displayName: "First" }, status: 422 },
  ],
  "an entity moves when it has no children, the new parent exists and nothing is at the new path": [
    ...house,
    floor("hall", "two"),
    move("one", "two", 409),
    move("one/bath", "none", 404),
    move("one/hall", "two", 409),
    { ...move("one/bath", "two"), has: { path: "two/bath" } },
    { ...move("two/bath", null), has: { path: "two/bath" } },
    { ...move("two/bath", ""), has: { path: "bath" } },
    found("*", "bath", "one", "one/hall", "two", "two/hall"),
  ],
  "delete entity": [
    ...house,
    { ask: `DELETE ${entities}?path=one`, status: 409 },
    deleted(`DELETE ${entities}?path=one%2Fhall`),
    { ask: `DELETE ${entities}?path=one%2Fhall`, status: 404 },
    found("one/*", "one/bath"),
  ],
  "get properties": [
    { ask: `GET ${site}/Properties`, status: 200, is: { siteType: "other", timeZone: "UTC", features: [] } },
    { ask: `GET ${site}/Properties`, as: "stranger", status: 404 },
  ],
  "replace properties": [
    { ask: `PUT ${site}/Properties`, body: { siteType: "office", features: ["sauna"] }, status: 200 },
    { ask: `PUT ${site}/Properties`, body: { timeZone: "Europe/Helsinki" }, status: 200 },
    {
      ask: `GET ${site}/Properties`,
      status: 200,
      is: { siteType: "other", timeZone: "Europe/Helsinki", features: [] },
    },
    { ask: `PUT ${site}/Properties`, body: { timeZone: "Mars/Base" }, status: 422 },
  ],
  "get schema": [
    {
      ask: `GET ${site}/Schema`,
      status: 200,
      has: { attributes: [{ name: "*" }], entities: [{ type: "*" }] },
    },
    { ask: `GET ${site}/Schema`, as: "stranger", status: 404 },
  ],
  "replace schema": [
    { ask: `PUT ${site}/Schema`, body: { attributes: [{ name: "street" }], entities: [] }, status: 200 },
    { ask: `GET ${site}/Schema`, status: 200, has: { attributes: [{ name: "street" }], entities: [] } },
    { ask: `PUT ${site}/Schema`, body: { attributes: [] }, status: 422 },
  ],
  "an empty schema allows nothing, and an asterisk allows anything": [
    { ask: `PUT ${site}/Schema`, body: { attributes: [], entities: [] }, status: 200 },
    { ask: `PATCH ${site}`, body: { attributes }, status: 422 },
    floor("one", "", 422),
    {
      ask: `PUT ${site}/Schema`,
      body: { attributes: [{ name: "*" }], entities: [{ type: "*", attributes: [], parents: ["*"] }] },
      status: 200,
    },
    { ask: `PATCH ${site}`, body: { attributes }, status: 200 },
    floor("one"),
  ],
  "list egress targets": [
    created,
    { ...created, body: { ...target, id: "next" } },
    { ask: `GET ${targets}?pageSize=1`, status: 200, lists: ["main"], keep: { next: "links.next" } },
    {
      ask: `GET ${targets}?pageSize=1&next={next}`,
      status: 200,
      lists: ["next"],
      keep: { prev: "links.prev" },
    },
    { ask: `GET ${targets}?pageSize=1&prev={prev}`, status: 200, lists: ["main"] },
    { ask: `GET ${targets}`, as: "stranger", status: 404 },
  ],
  "create egress target": [
    { ...created, has: { ...target, fetchMaxEvents: 3 }, headers: { location: `/1.0${targets}/main` } },
    { ...created, status: 409 },
  ],
  "get egress target": [
    created,
    { ask: `GET ${targets}/main`, status: 200, has: { ...target, fetchMaxEvents: 3 } },
    { ask: `GET ${targets}/none`, status: 404 },
  ],
  "update egress target": [
    created,
    { ask: `PUT ${targets}/main`, body: { ...target, method: "PUT" }, status: 200 },
    { ask: `GET ${targets}/main`, status: 200, has: { method: "PUT", fetchMaxEvents: 10 } },
    { ask: `PUT ${targets}/none`, body: { ...target, id: "none" }, status: 404 },
  ],
  "the type of an egress target stays": [
    created,
    { ask: `PUT ${targets}/main`, body: { ...target, $type: "queue" }, status: 422 },
    { ask: `PUT ${targets}/main`, body: { url: target.url }, status: 422 },
  ],
  "an egress target is enabled and disabled": [
    { ...created, has: { isEnabled: true } },
    {
      ask: `PUT ${targets}/main`,
      body: { ...target, isEnabled: false },
      status: 200,
      has: { isEnabled: false },
    },
    {
      ask: `PUT ${targets}/main`,
      body: { ...target, isEnabled: true },
      status: 200,
      has: { isEnabled: true },
    },
  ],
  "delete egress target": [
    created,
    deleted(`DELETE ${targets}/main`),
    { ask: `DELETE ${targets}/main`, status: 404 },
    { ask: `GET ${targets}`, status: 200, lists: [] },
  ],
  "list site templates": [
    {
      ask: "POST /Tenants/{account}/Templates/dashboard",
      body: { id: "{new}", displayName: "Main", content: { a: 1 } },
      status: 201,
    },
    { ask: `GET ${site}/Templates?templateType=dashboard`, status: 200, has: [{ id: "{new}" }] },
    { ask: `GET ${site}/Templates?templateType=schema`, status: 200, is: [] },
    { ask: `GET ${site}/Templates`, status: 422 },
  ],
  "a site accepts templates for schemas and dashboards only": [
    { ask: `GET ${site}/Templates?templateType=device`, status: 422 },
    {
      ask: "POST /Tenants/{account}/DeviceTemplates/LIGHT",
      body: { id: "{new}", displayName: "Main", content: {} },
      status: 201,
    },
    { ask: `GET ${site}/Templates/{new}`, status: 404 },
  ],
  "get site template": [
    {
      ask: "POST /Tenants/{account}/Templates/dashboard",
      body: { id: "{new}", displayName: "Main", content: { a: 1 } },
      status: 201,
    },
    { ask: `GET ${site}/Templates/{new}`, status: 200, has: { id: "{new}", content: { a: 1 } } },
    { ask: `GET ${site}/Templates/none`, status: 404 },
  ],
};
