import { limits } from "@ledge/model";
import Type from "typebox";
import { Attribute, AttributeChange } from "../model/site-attributes.ts";
import { resourceId } from "../model/resource-id.ts";
import { SiteSchema } from "../model/site-schema.ts";
import { type Site, SiteProperties } from "../model/site-state.ts";
import type { Found } from "../sites/finding.ts";
import { DeviceId } from "./device-object.ts";
import { RegisterId } from "./register-id.ts";

const Time = Type.Integer();
const Attributes = Type.Union([Type.Array(Attribute), Type.Null()]);

/** A site's metadata (platform-api 2.4). Times are ms since the epoch; `attributes` is null when there are none. */
export const GraphSite = Type.Object({
  siteId: Type.String(),
  resourceId: Type.String(),
  displayName: Type.String(),
  createdAt: Time,
  modifiedAt: Time,
  attributes: Attributes,
});

/** Something in a site, such as a floor. `device` is the device that it stands for. */
export const GraphEntity = Type.Object({
  path: Type.String(),
  type: Type.String(),
  name: Type.String(),
  displayName: Type.String(),
  attributes: Attributes,
  device: Type.Union([
    Type.Object({ deviceRegisterId: Type.String(), deviceId: Type.String() }),
    Type.Null(),
  ]),
  createdAt: Time,
  modifiedAt: Time,
});
export type GraphEntity = Type.Static<typeof GraphEntity>;

const Changes = Type.Array(AttributeChange, { maxItems: limits.siteAttributes });
const Name = Type.String({ maxLength: limits.displayNameChars });

/** The parts of a site or an entity that a message changes; null and left out mean that it stays. */
export const changeFields = {
  displayName: Type.Optional(Type.Union([Name, Type.Null()])),
  /** By name. A value that is null removes the attribute. */
  attributes: Type.Optional(Type.Union([Changes, Type.Null()])),
};

const entityName = `[a-z0-9_-]{1,${limits.siteEntityNameChars}}`;
const EntityName = Type.String({ pattern: `^${entityName}$` });
const entityPath = `${entityName}(?:/${entityName})*`;

/** The path of an entity, such as `a/b/c`. */
export const EntityPath = Type.String({ maxLength: limits.sitePathChars, pattern: `^${entityPath}$` });
/** The path of what an entity stands in; "" is the site itself. */
export const ParentPath = Type.String({ maxLength: limits.sitePathChars, pattern: `^(?:${entityPath})?$` });
const Device = Type.Object({ deviceRegisterId: RegisterId, deviceId: DeviceId });

export const NewEntity = Type.Object({
  type: EntityName,
  name: EntityName,
  ...changeFields,
  device: Type.Optional(Type.Union([Device, Type.Null()])),
});

export const EntityChange = Type.Object({
  ...changeFields,
  /** Null unbinds the device; left out it stays. */
  device: Type.Optional(Type.Union([Device, Type.Null()])),
  /** Null stays, "" is the site itself. */
  changeParentPath: Type.Optional(Type.Union([ParentPath, Type.Null()])),
});

/** What a site is created with; all of it may be left out. */
export const NewSite = Type.Object({
  ...changeFields,
  properties: Type.Optional(Type.Partial(SiteProperties)),
  schema: Type.Optional(SiteSchema),
});

/** The properties of a new site. */
export const usualProperties: SiteProperties = { siteType: "other", timeZone: "UTC", features: [] };

export function siteObject({ id, place, about, createdAt, timestamp }: Site): Type.Static<typeof GraphSite> {
  return {
    siteId: id,
    resourceId: resourceId(place.subscription, place.group, "Vendor.Sites", place.name),
    displayName: about.displayName,
    createdAt,
    modifiedAt: timestamp,
    attributes: attributesOf(about),
  };
}

export function entityObject({ path, entity }: Found): GraphEntity {
  const { type, name, displayName, device, createdAt, modifiedAt } = entity;
  const shown = device && { deviceRegisterId: device.deviceRegisterId, deviceId: device.deviceId };
  return {
    path,
    type,
    name,
    displayName,
    attributes: attributesOf(entity),
    device: shown,
    createdAt,
    modifiedAt,
  };
}

function attributesOf({ attributes }: { readonly attributes: readonly Attribute[] }): Attribute[] | null {
  return attributes.length === 0 ? null : [...attributes];
}
