import Type from "typebox";
import { SiteSchema } from "../model/site-schema.ts";
import { type Site, SiteProperties } from "../model/site-state.ts";
import { type EntityDevice, entityAt, pathIn } from "../model/site-tree.ts";
import type { AnyCommand } from "../model/submitting.ts";
import { Failed, notFound } from "./errors.ts";
import { mustHave } from "./register-device.ts";
import { type GraphCall, row } from "./row.ts";
import {
  changeFields,
  EntityChange,
  EntityPath,
  entityObject,
  GraphEntity,
  GraphSite,
  NewEntity,
  ParentPath,
  siteObject,
  usualProperties,
} from "./site-object.ts";
import { registerTarget } from "./register-target.ts";
import { failureOf } from "./submitting.ts";

type Call = Pick<GraphCall<"site", unknown>, "caller" | "target" | "parts">;

/** Types that change a site. */
export const siteCommandRows = [
  row({
    type: "UpdateSiteCommand",
    summary: "Changes the metadata of a site, as far as it is given",
    scope: "site",
    right: "A",
    addsToLog: true,
    fields: changeFields,
    result: { site: GraphSite },
    async handle(call) {
      const { displayName, attributes } = call.fields;
      const done = await change({ type: "UPDATE_SITE", ...given({ displayName, attributes }) }, call);
      return done instanceof Failed ? done : { site: siteObject(done) };
    },
  }),
  row({
    type: "CreateEntitySiteCommand",
    summary: "Creates an entity in another, or in the site itself",
    scope: "site",
    right: "A",
    addsToLog: true,
    fields: { parentPath: Type.Optional(ParentPath), entity: NewEntity },
    result: { entity: GraphEntity },
    async handle(call) {
      const { parentPath: parent = "", entity } = call.fields;
      const { type: entityType, name } = entity;
      const device = await deviceOf(entity.device ?? null, call);
      if (device instanceof Failed) return device;
      const said = { displayName: entity.displayName ?? name, attributes: entity.attributes ?? [], device };
      const command = { type: "CREATE_SITE_ENTITY", parent, entityType, name, ...said };
      return shown(await change(command, call), pathIn(parent, name));
    },
  }),
  row({
    type: "UpdateEntitySiteCommand",
    summary: "Changes an entity, as far as it is given, and may move it into another",
    scope: "site",
    right: "A",
    addsToLog: true,
    fields: { path: EntityPath, entity: EntityChange },
    result: { entity: GraphEntity },
    async handle(call) {
      const { path, entity } = call.fields;
      const { displayName, attributes, changeParentPath: parent } = entity;
      const device = entity.device && (await deviceOf(entity.device, call));
      if (device instanceof Failed) return device;
      const bound = device === undefined ? {} : { device };
      const changes = given({ displayName, attributes, parent });
      const done = await change({ type: "UPDATE_SITE_ENTITY", path, ...changes, ...bound }, call);
      const name = path.slice(path.lastIndexOf("/") + 1);
      return shown(done, typeof parent === "string" ? pathIn(parent, name) : path);
    },
  }),
  row({
    type: "DeleteEntitySiteCommand",
    summary: "Deletes an entity in which no other stands",
    scope: "site",
    right: "A",
    addsToLog: true,
    fields: { path: EntityPath },
    async handle(call) {
      const done = await change({ type: "DELETE_SITE_ENTITY", path: call.fields.path }, call);
      return done instanceof Failed ? done : {};
    },
  }),
  row({
    type: "SetPropertiesSiteCommand",
    summary: "Replaces the properties of a site",
    scope: "site",
    right: "A",
    addsToLog: true,
    fields: { properties: Type.Partial(SiteProperties) },
    result: { properties: SiteProperties },
    async handle(call) {
      const properties = { ...usualProperties, ...call.fields.properties };
      const done = await change({ type: "SET_SITE_PROPERTIES", properties }, call);
      return done instanceof Failed ? done : { properties: { ...done.about.properties } };
    },
  }),
  row({
    type: "SetSchemaSiteCommand",
    summary: "Replaces what a site may hold, if all that is in it fits",
    scope: "site",
    right: "A",
    addsToLog: true,
    fields: { schema: SiteSchema },
    result: { schema: SiteSchema },
    async handle(call) {
      const done = await change({ type: "SET_SITE_SCHEMA", schema: call.fields.schema }, call);
      return done instanceof Failed ? done : { schema: { ...done.about.schema } };
    },
  }),
];

/** Changes a site. @returns the site after it */
async function change(command: AnyCommand, call: Call): Promise<Site | Failed> {
  const { id } = call.target.site;
  const failed = await failureOf(call, { ...command, id });
  if (failed !== undefined) return failed;
  const site = call.parts.cloud.kernel.get("site", id);
  return site ?? notFound("site", id, "siteId");
}

function shown(done: Site | Failed, path: string): { entity: GraphEntity } | Failed {
  if (done instanceof Failed) return done;
  const entity = entityAt(done.entities, path);
  if (entity === undefined) return notFound("entity", path, "path");
  return { entity: entityObject({ path, entity }) };
}

/** Returns the fields that are there, and not null. */
function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Returns the device to which an entity is bound, if the caller can read it. */
async function deviceOf(
  device: { readonly deviceRegisterId: string; readonly deviceId: string } | null,
  { caller, parts }: Call,
): Promise<EntityDevice | null | Failed> {
  if (device === null) return null;
  const { deviceRegisterId, deviceId } = device;
  const register = registerTarget(
    deviceRegisterId,
    "R",
    caller,
    parts.cloud,
    "entity.device.deviceRegisterId",
  );
  if (register instanceof Failed) return register;
  const found = await mustHave(deviceId, { target: register, parts });
  return found instanceof Failed ? found : { deviceRegisterId, deviceId, by: caller.account };
}
