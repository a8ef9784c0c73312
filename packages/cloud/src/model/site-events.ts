import { defineEvent, type EventOf } from "@ledge/model";
import Type from "typebox";
import { Attribute } from "./site-attributes.ts";
import { SiteSchema } from "./site-schema.ts";
import { SiteProperties } from "./site-state.ts";

/** The device of an entity in a command. */
const Device = Type.Union([
  Type.Object({ deviceRegisterId: Type.String(), deviceId: Type.String(), by: Type.String() }),
  Type.Null(),
]);

const Attributes = Type.Array(Attribute);
const SiteCreated = defineEvent(
  "SiteCreated",
  1,
  {
    place: Type.Object({ subscription: Type.String(), group: Type.String(), name: Type.String() }),
    displayName: Type.String(),
    attributes: Attributes,
    properties: SiteProperties,
    schema: SiteSchema,
  },
  ["displayName", "attributes", "properties", "schema"],
);
const SiteDeleted = defineEvent("SiteDeleted", 1, {});
const SiteUpdated = defineEvent("SiteUpdated", 1, { displayName: Type.String(), attributes: Attributes }, [
  "displayName",
  "attributes",
]);
const SitePropertiesSet = defineEvent("SitePropertiesSet", 1, { properties: SiteProperties }, ["properties"]);
const SiteSchemaSet = defineEvent("SiteSchemaSet", 1, { schema: SiteSchema }, ["schema"]);
const what = { displayName: Type.String(), attributes: Attributes, device: Device };
const EntityCreated = defineEvent(
  "EntityCreated",
  1,
  { path: Type.String(), entityType: Type.String(), ...what },
  ["displayName", "attributes"],
);
const EntityUpdated = defineEvent("EntityUpdated", 1, { path: Type.String(), ...what }, [
  "displayName",
  "attributes",
]);
const EntityMoved = defineEvent("EntityMoved", 1, { path: Type.String(), to: Type.String() });
const EntityDeleted = defineEvent("EntityDeleted", 1, { path: Type.String() });

export type SiteEvent =
  | EventOf<typeof SiteCreated>
  | EventOf<typeof SiteDeleted>
  | EventOf<typeof SiteUpdated>
  | EventOf<typeof SitePropertiesSet>
  | EventOf<typeof SiteSchemaSet>
  | EventOf<typeof EntityCreated>
  | EventOf<typeof EntityUpdated>
  | EventOf<typeof EntityMoved>
  | EventOf<typeof EntityDeleted>;

/** The events of sites. */
export const siteEvents = [
  SiteCreated,
  SiteDeleted,
  SiteUpdated,
  SitePropertiesSet,
  SiteSchemaSet,
  EntityCreated,
  EntityUpdated,
  EntityMoved,
  EntityDeleted,
] as const;

/** The events about one entity. */
export type EntityEvent = Extract<SiteEvent, { path: string }>;
