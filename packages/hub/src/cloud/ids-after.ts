import { limits } from "@ledge/model";

/**
 * Returns the first ids after another one, in order of code units. Holds at most twice as many as it returns, and
 * sorts no more at once.
 * @param most at least 1
 * @param pause lets other work have a turn
 */
export async function idsAfter(
  after: string,
  most: number,
  objects: Iterable<readonly [id: string, object: unknown]>,
  pause: () => Promise<void>,
): Promise<readonly string[]> {
  let ids: string[] = [];
  let last: string | undefined;
  let seen = 0;
  for (const [id] of objects) {
    if (++seen % limits.changesIdsSlice === 0) await pause();
    if (id <= after || (last !== undefined && id >= last)) continue;
    ids.push(id);
    if (ids.length < 2 * most) continue;
    ids = ids.toSorted().slice(0, most);
    last = ids.at(-1);
  }
  return ids.toSorted().slice(0, most);
}
