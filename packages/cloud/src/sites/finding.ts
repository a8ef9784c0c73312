import { setImmediate } from "node:timers/promises";
import { limits } from "@ledge/model";
import { type Entities, type Entity, pathIn } from "../model/site-tree.ts";
import { type Glob, globOf, type Places } from "./glob.ts";

export interface Found {
  readonly path: string;
  readonly entity: Entity;
}

/** Returns the entities whose paths match a pattern (`Glob`). What cannot match any more is not walked through. */
export async function findEntities(entities: Entities, pattern: string): Promise<Found[]> {
  const glob = globOf(pattern);
  const found: Found[] = [];
  let walked = 0;
  for (const each of matching(entities, "", glob, glob.start)) {
    if (each.isMatch) found.push(each);
    if (++walked % limits.scanSliceRows === 0) await setImmediate();
  }
  return found;
}

function* matching(
  entities: Entities,
  parent: string,
  glob: Glob,
  places: Places,
): Generator<Found & { readonly isMatch: boolean }> {
  for (const entity of Object.values(entities)) {
    const at = glob.advance(places, entity.name);
    yield { path: pathIn(parent, entity.name), entity, isMatch: glob.accepts(at) };
    const within = glob.advance(at, "/");
    if (within.length > 0) yield* matching(entity.entities, pathIn(parent, entity.name), glob, within);
  }
}
