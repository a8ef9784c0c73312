import type { Attribute } from "./site-attributes.ts";

/** The device that an entity stands for. */
export interface EntityDevice {
  readonly deviceRegisterId: string;
  readonly deviceId: string;
  /** The account that has bound it, and that must be able to read it. */
  readonly by: string;
}

/** Something in a site, such as a floor (platform-api 2.4), with all that stands in it. */
export interface Entity {
  readonly type: string;
  readonly name: string;
  readonly displayName: string;
  readonly attributes: readonly Attribute[];
  readonly device: EntityDevice | null;
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly modifiedAt: number;
  /** The path before it was last moved, until it changes again. */
  readonly movedFrom: string | null;
  readonly entities: Entities;
}

/** Entities by name. */
export type Entities = Readonly<Record<string, Entity>>;

/** Returns the names in a path such as `a/b/c`; none for the site itself. */
export function namesIn(path: string): string[] {
  return path === "" ? [] : path.split("/");
}

/** Returns the path of the parent, "" for the site itself. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Returns the path of an entity in another. */
export function pathIn(parent: string, name: string): string {
  return parent === "" ? name : `${parent}/${name}`;
}

/** Returns the entity at a path. Names are exact: case tells them apart. */
export function entityAt(entities: Entities, path: string): Entity | undefined {
  let found: Entity | undefined;
  let within = entities;
  for (const name of namesIn(path)) {
    found = own(within, name);
    if (found === undefined) return undefined;
    within = found.entities;
  }
  return found;
}

/**
 * Returns entities with another one at a path, or without it. What has no parent there stays out.
 * @param entity undefined removes the one that is there
 */
export function withEntity(entities: Entities, path: string, entity: Entity | undefined): Entities {
  const [name = "", ...rest] = namesIn(path);
  if (rest.length === 0) {
    const { [name]: _, ...others } = entities;
    return entity === undefined ? others : { ...others, [name]: entity };
  }
  const parent = own(entities, name);
  if (parent === undefined) return entities;
  const within = withEntity(parent.entities, rest.join("/"), entity);
  return { ...entities, [name]: { ...parent, entities: within } };
}

/** Yields every entity with its path and the type of its parent, parents first. */
export function* walk(
  entities: Entities,
  parent = "",
  parentType = "",
): Generator<{ readonly path: string; readonly parentType: string; readonly entity: Entity }> {
  for (const entity of Object.values(entities)) {
    const path = pathIn(parent, entity.name);
    yield { path, parentType, entity };
    yield* walk(entity.entities, path, entity.type);
  }
}

/** Returns the entity with a name, which may be `constructor`. */
function own(entities: Entities, name: string): Entity | undefined {
  return Object.hasOwn(entities, name) ? entities[name] : undefined;
}
