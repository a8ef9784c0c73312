import type { SiteCommand } from "./site-commands.ts";
import { changeSite } from "./site-deciding.ts";
import { type EntityEvent, type SiteEvent, siteEvents } from "./site-events.ts";
import type { Site } from "./site-state.ts";
import { entityAt, withEntity } from "./site-tree.ts";
import type { CloudDecider } from "./states.ts";

export const site: CloudDecider<Site, SiteCommand, SiteEvent> = {
  kind: "site",
  commands: [
    "CREATE_SITE",
    "DELETE_SITE",
    "UPDATE_SITE",
    "SET_SITE_PROPERTIES",
    "SET_SITE_SCHEMA",
    "CREATE_SITE_ENTITY",
    "UPDATE_SITE_ENTITY",
    "DELETE_SITE_ENTITY",
  ],
  events: siteEvents,
  secrets: ["about", "entities"],

  target: ({ id }) => id,

  decide: (command, state) => changeSite(command, state),

  evolve(state, event, timestamp) {
    if (event.type === "SiteCreated") {
      const { id, place, displayName, attributes, properties, schema } = event;
      const about = { displayName, attributes, properties, schema };
      return { id, place, about, entities: {}, entityCount: 0, createdAt: timestamp, timestamp };
    }
    if (state === undefined || event.type === "SiteDeleted") return undefined;
    if ("path" in event) return { ...state, ...entitiesAfter(state, event, timestamp), timestamp };
    switch (event.type) {
      case "SiteUpdated": {
        const { displayName, attributes } = event;
        return { ...state, about: { ...state.about, displayName, attributes }, timestamp };
      }
      case "SitePropertiesSet":
        return { ...state, about: { ...state.about, properties: event.properties }, timestamp };
      case "SiteSchemaSet":
        return { ...state, about: { ...state.about, schema: event.schema }, timestamp };
    }
  },
};

function entitiesAfter(
  { entities, entityCount }: Site,
  event: EntityEvent,
  timestamp: number,
): Pick<Site, "entities" | "entityCount"> {
  const { path } = event;
  const held = entityAt(entities, path);
  switch (event.type) {
    case "EntityCreated": {
      const { entityType: type, displayName, attributes, device } = event;
      const name = path.slice(path.lastIndexOf("/") + 1);
      const times = { createdAt: timestamp, modifiedAt: timestamp, movedFrom: null };
      const entity = { type, name, displayName, attributes, device, ...times, entities: {} };
      return { entities: withEntity(entities, path, entity), entityCount: entityCount + 1 };
    }
    case "EntityUpdated": {
      const { displayName, attributes, device } = event;
      const entity = held && {
        ...held,
        displayName,
        attributes,
        device,
        modifiedAt: timestamp,
        movedFrom: null,
      };
      return { entities: withEntity(entities, path, entity), entityCount };
    }
    case "EntityMoved": {
      const entity = held && { ...held, modifiedAt: timestamp, movedFrom: path };
      return { entities: withEntity(withEntity(entities, path, undefined), event.to, entity), entityCount };
    }
    case "EntityDeleted":
      return { entities: withEntity(entities, path, undefined), entityCount: entityCount - 1 };
  }
}
