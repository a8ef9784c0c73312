import type { Point, Table } from "./point.ts";

/** The most that one request may read (application protocol v1.1b3, 6.1 and 6.3). */
const most: Readonly<Record<Table, number>> = { coil: 2000, discrete: 2000, holding: 125, input: 125 };
/**
 * Up to this many unused registers between two points are read along: they cost 2 bytes each, while another
 * request costs 13 bytes, two silences and the device's time to answer.
 */
const widestGap: Readonly<Record<Table, number>> = { coil: 64, discrete: 64, holding: 10, input: 10 };

/** Points of one table that one request reads. */
export interface Block<P extends Point = Point> {
  readonly table: Table;
  readonly register: number;
  readonly count: number;
  readonly points: readonly P[];
}

/**
 * Plans reads of all points, with nearly the fewest requests.
 * @param alone whether a point must be read alone, because the device refused a read of it together with
 * others.
 */
export function planReads<P extends Point>(
  points: readonly P[],
  alone: (point: P) => boolean,
): readonly Block<P>[] {
  const sorted = points.toSorted((a, b) => a.table.localeCompare(b.table) || a.register - b.register);
  const blocks: Block<P>[] = [];
  for (const point of sorted) {
    const last = blocks.at(-1);
    const grown =
      last === undefined || alone(point) || last.points.some(alone) ? undefined : extended(last, point);
    if (grown === undefined)
      blocks.push({ table: point.table, register: point.register, count: point.count, points: [point] });
    else blocks[blocks.length - 1] = grown;
  }
  return blocks;
}

function extended<P extends Point>(block: Block<P>, point: P): Block<P> | undefined {
  const gap = point.register - (block.register + block.count);
  const count = Math.max(block.count, point.register + point.count - block.register);
  if (block.table !== point.table || gap > widestGap[block.table] || count > most[block.table])
    return undefined;
  return { ...block, count, points: [...block.points, point] };
}

/** Returns the words of one point from a block's answer. */
export function wordsOf(point: Point, block: Block, words: readonly number[]): readonly number[] {
  const start = point.register - block.register;
  return words.slice(start, start + point.count);
}
