import { type Decision, isTimezone, limits, reject, type Rejection } from "@ledge/model";
import { atMost } from "./at-most.ts";
import {
  type Attribute,
  type AttributeChange,
  changedAttributes,
  type FieldProblem,
} from "./site-attributes.ts";
import type { SiteCommand } from "./site-commands.ts";
import type { SiteEvent } from "./site-events.ts";
import { entityProblem, schemaProblem, siteProblem, type SiteSchema } from "./site-schema.ts";
import type { Site } from "./site-state.ts";
import { type Entity, entityAt, namesIn, parentOf, pathIn, walk } from "./site-tree.ts";

type Of<Name extends SiteCommand["type"]> = Extract<SiteCommand, { type: Name }>;
type Decided = Decision<SiteEvent>;

/** Decides a command about a site. */
export function changeSite(command: SiteCommand, state: Site | undefined): Decided {
  const { id } = command;
  if (command.type === "CREATE_SITE") return create(command, state);
  if (state === undefined) return reject("not-found", `there is no site ${id}`, "siteId");
  switch (command.type) {
    case "DELETE_SITE":
      return [{ type: "SiteDeleted", id }];
    case "UPDATE_SITE":
      return update(command, state);
    case "SET_SITE_PROPERTIES":
      if (!isTimezone(command.properties.timeZone)) return noTimezone;
      return changed(command.properties, state.about.properties, (properties) => {
        return { type: "SitePropertiesSet", id, properties };
      });
    case "SET_SITE_SCHEMA":
      return setSchema(command, state);
    case "CREATE_SITE_ENTITY":
      return createEntity(command, state);
    case "UPDATE_SITE_ENTITY":
      return updateEntity(command, state);
    case "DELETE_SITE_ENTITY": {
      const { path } = command;
      const entity = entityAt(state.entities, path);
      if (entity === undefined) return noEntity(path, "path");
      return isLeaf(entity) ? [{ type: "EntityDeleted", id, path }] : notEmpty("path");
    }
  }
}

function create(
  { id, place, displayName, attributes, properties, schema }: Of<"CREATE_SITE">,
  state: Site | undefined,
): Decided {
  if (state !== undefined) return reject("wrong-state", `site ${id} exists already`, "siteId");
  if (!isTimezone(properties.timeZone)) return noTimezone;
  const given = changedAttributes([], withoutNulls(attributes));
  if (isProblem(given)) return rejected(given);
  const problem = schemaProblem(schema);
  if (problem !== undefined) return rejected(problem, "schema.");
  const misfit = siteProblem(schema, given);
  if (misfit !== undefined) return rejected(misfit);
  return [{ type: "SiteCreated", id, place, displayName, attributes: [...given], properties, schema }];
}

function update({ id, displayName, attributes = [] }: Of<"UPDATE_SITE">, { about }: Site): Decided {
  const after = changedAttributes(about.attributes, attributes);
  if (isProblem(after)) return rejected(after);
  const misfit = siteProblem(about.schema, after);
  if (misfit !== undefined) return rejected(misfit);
  const said = { displayName: displayName ?? about.displayName, attributes: [...after] };
  const held = { displayName: about.displayName, attributes: about.attributes };
  return changed(said, held, (news) => ({ type: "SiteUpdated", id, ...news }));
}

function setSchema({ id, schema }: Of<"SET_SITE_SCHEMA">, { about, entities }: Site): Decided {
  const problem = schemaProblem(schema) ?? misfitIn(schema, about.attributes, entities);
  if (problem !== undefined) return rejected(problem);
  return changed(schema, about.schema, (news) => ({ type: "SiteSchemaSet", id, schema: news }));
}

/** Returns why a site does not fit a schema. */
function misfitIn(
  schema: SiteSchema,
  attributes: readonly Attribute[],
  entities: Site["entities"],
): FieldProblem | undefined {
  const own = siteProblem(schema, attributes);
  if (own !== undefined) return { field: "attributes", message: `does not fit the site: ${own.message}` };
  for (const { path, parentType, entity } of walk(entities)) {
    const misfit = entityProblem(schema, entity, parentType);
    if (misfit !== undefined)
      return { field: "entities", message: `does not fit ${path}: ${misfit.message}` };
  }
  return undefined;
}

function createEntity(command: Of<"CREATE_SITE_ENTITY">, state: Site): Decided {
  const { id, parent, entityType, name, displayName, device } = command;
  const path = pathIn(parent, name);
  const attributes = changedAttributes([], withoutNulls(command.attributes));
  if (isProblem(attributes)) return rejected(attributes);
  const unplaced = placeProblem(parent, path, { type: entityType, attributes }, state);
  if (unplaced !== undefined) return unplaced;
  if (state.entityCount >= limits.siteEntities) return atMost(limits.siteEntities, "entities");
  return [{ type: "EntityCreated", id, path, entityType, displayName, attributes: [...attributes], device }];
}

function updateEntity(command: Of<"UPDATE_SITE_ENTITY">, state: Site): Decided {
  const { id, path, parent = parentOf(path) } = command;
  const held = entityAt(state.entities, path);
  if (held === undefined) return noEntity(path, "path");
  const after = changedAttributes(held.attributes, command.attributes ?? []);
  if (isProblem(after)) return rejected(after);
  const { displayName = held.displayName, device = held.device } = command;
  const said = { displayName, attributes: [...after], device };
  const before = { displayName: held.displayName, attributes: held.attributes, device: held.device };
  const updated = changed(said, before, (news) => ({ type: "EntityUpdated", id, path, ...news }));
  const entity = { type: held.type, attributes: after };
  if (parent === parentOf(path)) {
    const misfit = entityProblem(state.about.schema, entity, entityAt(state.entities, parent)?.type ?? "");
    return misfit === undefined ? updated : rejected(misfit);
  }
  if (!isLeaf(held)) return notEmpty("changeParentPath");
  const to = pathIn(parent, held.name);
  // It would become its own parent.
  if (parent === path) return noEntity(parent, "changeParentPath");
  const unplaced = placeProblem(parent, to, entity, state, "changeParentPath");
  return unplaced ?? [...updated, { type: "EntityMoved", id, path, to }];
}

/** Returns why an entity cannot stand at a path. @param field names the parent in the message */
function placeProblem(
  parent: string,
  path: string,
  entity: { readonly type: string; readonly attributes: readonly Attribute[] },
  { entities, about }: Site,
  field = "parentPath",
): Rejection | undefined {
  if (parent !== "" && entityAt(entities, parent) === undefined) return noEntity(parent, field);
  if (namesIn(path).length > limits.siteEntityDepth)
    return reject("limit", `entities stand at most ${limits.siteEntityDepth} deep`, "limit");
  if (entityAt(entities, path) !== undefined)
    return reject("taken", `there is an entity ${path} already`, "name");
  const misfit = entityProblem(about.schema, entity, entityAt(entities, parent)?.type ?? "");
  return misfit && rejected(misfit);
}

function isLeaf({ entities }: Entity): boolean {
  return Object.keys(entities).length === 0;
}

/** What has no value yet cannot be removed: null is wrong in something new. */
function withoutNulls(given: readonly AttributeChange[]): readonly AttributeChange[] {
  return given.map((one) => (one.value === null ? { ...one, value: undefined } : one));
}

/** Returns the event of a change; none when nothing changes. */
function changed<Said>(said: Said, held: unknown, event: (said: Said) => SiteEvent): readonly SiteEvent[] {
  return JSON.stringify(said) === JSON.stringify(held) ? [] : [event(said)];
}

function isProblem(given: readonly Attribute[] | FieldProblem): given is FieldProblem {
  return "field" in given;
}

function rejected({ field, message }: FieldProblem, prefix = ""): Rejection {
  const named = `${prefix}${field}`;
  return reject("invalid", `${named} ${message}`, named);
}

function noEntity(path: string, field: string): Rejection {
  return reject("not-found", `there is no entity ${path}`, field);
}

function notEmpty(field: string): Rejection {
  return reject("wrong-state", "other entities stand in it", field);
}

const noTimezone = rejected({ field: "properties.timeZone", message: "is no time zone" });
