import { setImmediate } from "node:timers/promises";
import { limits } from "@ledge/model";
import { matchesFilters } from "../list/matching.ts";
import { comparePositions, type Position, positionOf } from "../list/order.ts";
import type { ListQuery, Page } from "../list/query.ts";
import { Smallest } from "../list/smallest.ts";
import type { DeviceRow } from "../row.ts";
import type { Environment, Table } from "./environment.ts";
import { type Bounds, boundsOf, keyOf, rowKey, textsOf } from "./keys.ts";
import { decodeRow } from "../row-record.ts";

/** Reads pages of one register. Yields to other work after each slice of rows. */
export async function readPage(env: Environment, register: string, query: ListQuery): Promise<Page> {
  const { pageSize, backward } = query;
  const ids =
    query.orderBy === "id" || query.orderBy === "name"
      ? await idsAlong(env, register, query)
      : await idsByHeap(env, register, query);
  const rows = ids.slice(0, pageSize).flatMap((id) => {
    const key = { register, kind: "device", id } as const;
    const bytes = env.rows.getBinary(rowKey(key));
    // A missing row was removed meanwhile.
    return bytes === undefined ? [] : [decodeRow(key, bytes) as DeviceRow];
  });
  return { rows: backward ? rows.toReversed() : rows, hasMore: ids.length > pageSize };
}

/** Returns the ids of a page and one more, by an index that has their order. */
async function idsAlong(env: Environment, register: string, query: ListQuery): Promise<string[]> {
  const { orderBy, search, from, pageSize } = query;
  const isById = orderBy === "id";
  const isMatch = matcherOf(query);
  const needsText = search !== undefined || Object.keys(query.filters).length > 0;
  const start = from && (isById ? keyOf(register, from.id) : keyOf(register, from.value, from.id));
  const range = { bounds: boundsOf(register), start, isReversed: isReversed(query) };
  const ids: string[] = [];
  for await (const slice of slices(isById ? env.texts : env.names, range)) {
    for (const { key, value } of slice) {
      // Most devices do not match a search, and reading a key takes longer than that.
      if (isById && needsText && !isMatch(value)) continue;
      const id = textsOf(key).at(-1) as string;
      if (!isById && needsText) {
        const text = env.texts.getBinary(keyOf(register, id));
        if (text === undefined || !isMatch(text)) continue;
      }
      ids.push(id);
      if (ids.length > pageSize) return ids;
    }
  }
  return ids;
}

/** Returns the ids of a page and one more, of all devices of the register. */
async function idsByHeap(env: Environment, register: string, query: ListQuery): Promise<string[]> {
  const { orderBy, from, pageSize } = query;
  const sign = isReversed(query) ? -1 : 1;
  const compare = (a: Position, b: Position): number => sign * comparePositions(a, b);
  const isMatch = matcherOf(query);
  const first = new Smallest<Position>(pageSize + 1, compare);
  for await (const slice of slices(env.texts, { bounds: boundsOf(register), isReversed: false }))
    for (const { key, value } of slice) {
      if (!isMatch(value)) continue;
      const position = positionOf(textsOf(key).at(-1) as string, value.toString(), orderBy);
      if (from === undefined || compare(position, from) > 0) first.add(position);
    }
  return first.sorted().map(({ id }) => id);
}

function isReversed({ descending, backward }: ListQuery): boolean {
  return descending !== backward;
}

/** Returns whether stored facets match. A search looks at their bytes, so most texts are never decoded. */
function matcherOf({ search, filters }: ListQuery): (facets: Buffer) => boolean {
  const needle = search === undefined ? undefined : Buffer.from(search);
  const hasFilters = Object.keys(filters).length > 0;
  return (facets) => {
    if (needle !== undefined && !facets.includes(needle)) return false;
    return !hasFilters || matchesFilters(facets.toString(), filters);
  };
}

interface SliceRange {
  readonly bounds: Bounds;
  /** Begins after this key. */
  readonly start?: Buffer | undefined;
  readonly isReversed: boolean;
}

interface Entry {
  readonly key: Uint8Array;
  readonly value: Buffer;
}

/** Yields the entries of a range in slices, with time for other work between them. */
export async function* slices(
  table: Table,
  { bounds, start, isReversed: reverse }: SliceRange,
): AsyncGenerator<readonly Entry[]> {
  const [first, end] = reverse ? [bounds.end, bounds.start] : [bounds.start, bounds.end];
  let from: Uint8Array = start ?? first;
  for (;;) {
    const range = { start: from, end, reverse, exclusiveStart: true, limit: limits.scanSliceRows };
    const slice = [...table.getRange(range)];
    yield slice;
    const last = slice.at(-1);
    if (last === undefined || slice.length < limits.scanSliceRows) return;
    from = last.key;
    await setImmediate();
  }
}
